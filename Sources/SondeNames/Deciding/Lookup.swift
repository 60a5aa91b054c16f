import SondeAddresses

/// The way from an address to its names: first the pointers, then whether the names lead back.
///
/// It decides what is to be asked, and asks nothing.
struct Lookup: Sendable {
  /// What is asked.
  enum Question: Sendable, Equatable {
    case pointers
    /// The addresses of the name with this number.
    case addresses(Int)
  }

  /// What is to be done next.
  enum Step: Sendable, Equatable {
    /// Ask this.
    case ask(Question)
    /// Ask for the addresses of so many names, from the first on.
    case confirm(Int)
    /// Wait for the other answers.
    case wait
    case done(HostNames)
  }

  /// How many names are asked for their addresses.
  static let mostConfirmed = 10

  /// How many names are kept.
  static let mostNames = 128

  /// How many aliases are followed over several answers; a resolver follows them itself.
  static let mostLinks = 16

  /// The least and the longest time that an answer is kept.
  static let lifetimes = (least: UInt32(300), longest: UInt32(86_400))

  /// The address.
  let address: Address
  private let confirms: Bool
  /// Where the pointers are, unless under the reverse name of the address (RFC 2317).
  private var alias: DomainName?
  private var links = 0
  private var candidates: [Candidate] = []
  private var unsettled = 0
  private var timeToLive: UInt32?
  private var failure: QuestionFailure?

  /// A name, and what is known of it.
  private struct Candidate {
    let name: DomainName
    /// Where its addresses are, if not there.
    var alias: DomainName?
    var links = 0
    var isConfirmed = false
  }

  /// Begins with ``Question/pointers``.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - confirms: Whether names are looked up, too; without, all are unconfirmed.
  init(_ address: Address, confirms: Bool = true) {
    (self.address, self.confirms) = (address, confirms)
  }

  /// The type of record that a question asks for.
  func type(of question: Question) -> RecordType {
    question == .pointers ? .pointer : address.isIPv4 ? .a : .aaaa
  }

  /// The name that a question asks of; `nil` where none can be asked.
  func text(of question: Question) -> [CChar]? {
    switch question {
    case .pointers: alias.map(\.questionText) ?? address.reverseName
    case .addresses(let number): (candidates[number].alias ?? candidates[number].name).questionText
    }
  }

  /// Takes an answer whose code is success or that there is no such name.
  mutating func take(_ answer: Answer, to question: Question) -> Step {
    timeToLive = answer.timeToLive.map { min(timeToLive ?? $0, $0) } ?? timeToLive
    switch question {
    case .pointers: return takePointers(answer)
    case .addresses(let number): return takeAddresses(answer, of: number)
    }
  }

  /// Takes that there is no answer.
  mutating func take(_ failure: QuestionFailure, to question: Question) -> Step {
    guard question != .pointers else { return .done(HostNames(failure)) }
    // That the network is lost says more.
    if case .networkLost = self.failure {} else { self.failure = failure }
    return settle()
  }

  private mutating func takePointers(_ answer: Answer) -> Step {
    guard answer.code == Answer.Code.success else { return .done(result) }
    if let alias = answer.alias {
      links += answer.links
      guard links < Self.mostLinks else {
        return .done(HostNames(.unanswered("more than \(Self.mostLinks) aliases")))
      }
      // Nothing is behind the alias, or the resolver does not follow it.
      self.alias = alias
      return .ask(.pointers)
    }
    var seen: Set<DomainName> = []
    for name in answer.names where candidates.count < Self.mostNames {
      if answer.names.count == 1 || seen.insert(name).inserted {
        candidates.append(Candidate(name: name))
      }
    }
    guard confirms, !candidates.isEmpty else { return .done(result) }
    unsettled = min(candidates.count, Self.mostConfirmed)
    return .confirm(unsettled)
  }

  private mutating func takeAddresses(_ answer: Answer, of number: Int) -> Step {
    if answer.code == Answer.Code.success {
      if answer.addresses.contains(address) {
        candidates[number].isConfirmed = true
      } else if let alias = answer.alias {
        candidates[number].links += answer.links
        if candidates[number].links < Self.mostLinks {
          candidates[number].alias = alias
          return .ask(.addresses(number))
        }
      }
    }
    return settle()
  }

  private mutating func settle() -> Step {
    unsettled -= 1
    return unsettled > 0 ? .wait : .done(result)
  }

  private var result: HostNames {
    let confirmed = candidates.filter(\.isConfirmed).map(\.name.text)
    let names = confirmed + candidates.filter { !$0.isConfirmed }.map(\.name.text)
    if confirmed.isEmpty, let failure { return HostNames(names: names, failure) }
    let (least, longest) = Self.lifetimes
    let seconds = min(max(timeToLive ?? least, least), longest)
    return HostNames(
      names: names,
      status: names.isEmpty ? .none : confirmed.isEmpty ? .unconfirmed : .confirmed,
      lifetime: .seconds(seconds)
    )
  }
}

extension Lookup {
  /// Takes that a question cannot be asked: of a name that is none for c-ares, or not to be asked for.
  mutating func takeRefusal(of question: Question) -> Step {
    question == .pointers
      ? .done(HostNames(.unanswered("an alias that cannot be asked for"))) : settle()
  }
}
