import SondeRecords
import SondeSummary

/// The hits in logs by a condition that takes an answer, until that is there.
///
/// What is kept of an address while it is awaited grows with the hours that it was met in, by 32 bytes
/// each; of one that is answered four bytes are kept.
struct AwaitedHits: Sendable {
  /// The number of a kind of answers or places, of which the condition says the same.
  typealias Kind = UInt32

  /// What becomes of a hit.
  enum Fate: Sendable { case awaited, counted, excluded }

  /// Hits of an address in one hour, at places of one kind.
  struct Hits: Sendable {
    /// The first second of the hour since 1970 UTC; `nil` where the lines have no time.
    fileprivate let hour: Int64
    fileprivate let place: Kind
    /// Milliseconds of the hour until the first and the last of them.
    private var first: UInt32
    private var last: UInt32
    /// How many they are.
    fileprivate(set) var count = 1

    private static let timeless = Int64.min

    /// Makes a hit at a time in milliseconds since 1970 UTC, in the hour that begins at a second; `nil` for
    /// no time.
    init(_ time: Int64?, inHour hour: Int64?, at place: Kind) {
      (self.hour, self.place) = (hour ?? Self.timeless, place)
      let offset = if let time, let hour { UInt32(clamping: time - hour * 1000) } else { UInt32(0) }
      (first, last) = (offset, offset)
    }

    /// When the first and the last was, in milliseconds since 1970 UTC; `nil` for never.
    var times: ClosedRange<Int64>? {
      hour == Self.timeless ? nil : hour * 1000 + Int64(first)...hour * 1000 + Int64(last)
    }

    fileprivate mutating func add(_ other: Hits) {
      (first, last) = (min(first, other.first), max(last, other.last))
      count += other.count
    }
  }

  /// Hits of one address.
  struct Pile: Sendable {
    private(set) var hits: [Hits] = []

    mutating func add(_ hit: Hits) {
      // Mostly the hour of the one before.
      let known = hits.lastIndex { $0.hour == hit.hour && $0.place == hit.place }
      if let known { hits[known].add(hit) } else { hits.append(hit) }
    }
  }

  /// What waits for the answer to a question.
  struct Waiting: Sendable {
    let question: AddressCounts.Question
    fileprivate(set) var pile = Pile()
    var hits: [Hits] { pile.hits }
  }

  /// Answers of which the condition says the same, and which count as the same in the books.
  private struct Answer: Hashable {
    let findings: FilterFindings
    let status: Status
    let source: Source?
    let isCached: Bool
  }

  private let filter: Filter
  private var answers = Numbered<Answer>()
  private var places = Numbered<FilterFindings>()
  /// What was found out of both together.
  private var excluded: [UInt64: Bool] = [:]
  /// The kinds of the answers by their questions, each plus 1; 0 is none.
  private var answered: [Kind] = []
  private(set) var waiting: [Int: Waiting] = [:]

  /// Makes one that waits for nothing.
  init(_ filter: Filter) { self.filter = filter }

  /// Tells places apart, as far as the condition does.
  ///
  /// - Parameter record: Tells the line and the input.
  /// - Returns: The kind of the place.
  mutating func kind(ofPlace record: Record) -> Kind {
    // Without such comparisons they are all the same.
    guard filter.dependsOnPlace || places.all.isEmpty else { return 0 }
    return places.number(of: filter.findings(ofPlace: record))
  }

  /// What becomes of a hit of the address that a question is about.
  mutating func fate(of question: Int, at place: Kind) -> Fate {
    guard question < answered.count, answered[question] > 0 else { return .awaited }
    return fate(of: answered[question] - 1, at: place)
  }

  private mutating func fate(of answer: Kind, at place: Kind) -> Fate {
    let pair = UInt64(answer) << 32 | UInt64(place)
    if let isExcluded = excluded[pair] { return isExcluded ? .excluded : .counted }
    let findings = answers.all[Int(answer)].findings
    let isExcluded = filter.excludes(findings, at: places.all[Int(place)])
    excluded[pair] = isExcluded
    return isExcluded ? .excluded : .counted
  }

  /// What becomes of hits that have waited for the answer to a question.
  mutating func fate(of hits: Hits, for question: Int) -> Fate {
    fate(of: question, at: hits.place)
  }

  /// Has hits wait for the answer to a question.
  mutating func hold(_ hits: Hits, for question: AddressCounts.Question) {
    waiting[question.number, default: Waiting(question: question)].pile.add(hits)
  }

  /// Takes the answer to a question.
  ///
  /// - Parameters:
  ///   - question: The number of the question.
  ///   - record: The answer.
  ///   - bytes: Where its texts lie.
  /// - Returns: What has waited for it, and whether its address is left out wherever it is met.
  mutating func settle(
    _ question: Int,
    _ record: Record,
    bytes: Span<UInt8>
  ) -> (waiting: Waiting?, isExcluded: Bool) {
    let findings = filter.findings(ofAnswer: record, bytes: bytes)
    let answer = Answer(
      findings: findings,
      status: record.status,
      source: record.source,
      isCached: record.isCached
    )
    if question >= answered.count {
      answered += repeatElement(0, count: question + 1 - answered.count)
    }
    answered[question] = answers.number(of: answer) + 1
    let isExcluded = filter.excludes(findings, at: nil)
    return (waiting.removeValue(forKey: question), isExcluded)
  }

  /// Makes the books of questions.
  ///
  /// - Parameter questions: Those that count; one without an answer counts as nothing.
  /// - Returns: The books.
  func tally(of questions: some Sequence<Int>) -> Tally {
    var tally = Tally()
    for question in questions where question < answered.count && answered[question] > 0 {
      let answer = answers.all[Int(answered[question] - 1)]
      var record = Record(address: nil, status: answer.status)
      (record.source, record.isCached) = (answer.source, answer.isCached)
      tally.count(record)
    }
    return tally
  }
}

/// Values, each with a number of its own.
private struct Numbered<Value: Hashable & Sendable>: Sendable {
  private(set) var all: [Value] = []
  private var numbers: [Value: UInt32] = [:]

  mutating func number(of value: Value) -> UInt32 {
    if let known = numbers[value] { return known }
    let number = UInt32(truncatingIfNeeded: all.count)
    numbers[value] = number
    all.append(value)
    return number
  }
}
