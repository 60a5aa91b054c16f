import SondeAddresses

/// What is asked about an address.
public enum NameSubject: Sendable, Hashable {
  /// Its names: first its pointers, then the addresses of these names.
  case names
  /// The texts that Team Cymru has about its route, which count as names without being confirmed.
  case route
}

/// The look-up of an address's names or texts.
///
/// It decides what to ask, but sends nothing.
struct NameLookup: Sendable {
  /// A question to the resolver.
  enum Question: Sendable, Equatable {
    /// The pointers of the address, or the texts about it.
    case pointers
    /// The addresses of the name with this number.
    case addresses(Int)
  }

  /// The next step.
  enum Step: Sendable, Equatable {
    case ask(Question)
    /// Ask for the addresses of a number of names, from the first on.
    case confirm(Int)
    /// Wait for other answers.
    case wait
    case done(HostNames)
  }

  static let mostConfirmed = 10
  static let mostNames = 128

  /// The largest number of aliases followed over several answers; resolvers follow them themselves.
  static let mostLinks = 16

  /// The shortest and the longest lifetime of an answer, in seconds.
  static let lifetimes = (least: UInt32(300), longest: UInt32(86_400))

  let address: Address
  let subject: NameSubject
  private let confirms: Bool
  private var texts: [String] = []
  /// The name of the pointers, unless it is the reverse name of the address (RFC 2317).
  private var alias: DomainName?
  private var links = 0
  private var candidates: [Candidate] = []
  private var unsettled = 0
  private var timeToLive: UInt32?
  private var failure: QuestionFailure?

  private struct Candidate {
    let name: DomainName
    /// The alias whose addresses count, if any.
    var alias: DomainName?
    var links = 0
    var isConfirmed = false
  }

  /// Starts with ``Question/pointers``; unless names are to be confirmed, all are unconfirmed.
  init(_ address: Address, _ subject: NameSubject = .names, confirms: Bool = true) {
    (self.address, self.subject, self.confirms) = (address, subject, confirms)
  }

  func type(of question: Question) -> RecordType {
    switch (question, subject) {
    case (.pointers, .names): .pointer
    case (.pointers, .route): .text
    case (.addresses, _): address.isIPv4 ? .a : .aaaa
    }
  }

  /// The name of a question; `nil` if it cannot be asked.
  func text(of question: Question) -> [CChar]? {
    switch question {
    case .pointers:
      alias.map(\.questionText) ?? (subject == .names ? address.reverseName : address.originName)
    case .addresses(let number): (candidates[number].alias ?? candidates[number].name).questionText
    }
  }

  /// Handles an answer whose code is success or a missing name.
  mutating func take(_ answer: NameAnswer, to question: Question) -> Step {
    timeToLive = answer.timeToLive.map { min(timeToLive ?? $0, $0) } ?? timeToLive
    switch question {
    case .pointers: return takePointers(answer)
    case .addresses(let number): return takeAddresses(answer, of: number)
    }
  }

  mutating func take(_ failure: QuestionFailure, to question: Question) -> Step {
    guard question != .pointers else { return .done(HostNames(failure)) }
    // A loss of the network is more informative.
    if case .networkLost = self.failure {} else { self.failure = failure }
    return settle()
  }

  private mutating func takePointers(_ answer: NameAnswer) -> Step {
    guard answer.code == NameAnswer.Code.success else { return .done(result) }
    if let alias = answer.alias {
      links += answer.links
      guard links < Self.mostLinks else {
        return .done(HostNames(.unanswered("more than \(Self.mostLinks) aliases")))
      }
      // There is nothing after the alias, or the resolver does not follow it.
      self.alias = alias
      return .ask(.pointers)
    }
    guard subject == .names else {
      texts = answer.texts.prefix(Self.mostNames).map { String(decoding: $0, as: UTF8.self) }
      return .done(result)
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

  private mutating func takeAddresses(_ answer: NameAnswer, of number: Int) -> Step {
    if answer.code == NameAnswer.Code.success {
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
    let names = texts + confirmed + candidates.filter { !$0.isConfirmed }.map(\.name.text)
    if confirmed.isEmpty, let failure { return HostNames(names: names, failure) }
    let (least, longest) = Self.lifetimes
    let seconds = min(max(timeToLive ?? least, least), longest)
    return HostNames(
      names: names,
      status: names.isEmpty ? .none : confirmed.isEmpty ? .unconfirmed : .confirmed,
      confirmed: confirmed.count,
      lifetime: .seconds(seconds)
    )
  }
}

extension NameLookup {
  /// Handles a question that cannot be asked, because c-ares considers its name invalid or
  /// forbidden.
  mutating func takeRefusal(of question: Question) -> Step {
    question == .pointers
      ? .done(HostNames(.unanswered("an alias that cannot be asked for"))) : settle()
  }
}
