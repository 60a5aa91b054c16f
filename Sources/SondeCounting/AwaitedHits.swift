import SondeRecords
import SondeSummary

/// The hits in logs whose inclusion depends on an answer that is still awaited, or on totals.
///
/// A waiting address takes 32 bytes per hour of occurrence, an answered one takes four bytes.
struct AwaitedHits: Sendable {
  /// The number of a class of answers or places that the condition does not distinguish.
  typealias Kind = UInt32

  /// The treatment of a hit.
  enum Fate: Sendable { case awaited, counted, excluded }

  /// The hits of an address in one hour, at places of one kind.
  struct Hits: Sendable {
    /// The first second of the hour since 1970 UTC; `nil` if the lines have no time.
    fileprivate let hour: Int64
    fileprivate let place: Kind
    let input: UInt32
    /// The first and the last hit, in milliseconds of the hour.
    private var first: UInt32
    private var last: UInt32
    fileprivate(set) var count = 1

    private static let timeless = Int64.min

    /// Creates a hit in the hour that starts at a second since 1970 UTC; `nil` for no time.
    ///
    /// `time` is in milliseconds since 1970 UTC.
    init(_ time: Int64?, inHour hour: Int64?, at place: Kind, ofInput input: UInt32) {
      (self.hour, self.place, self.input) = (hour ?? Self.timeless, place, input)
      let offset = if let time, let hour { UInt32(clamping: time - hour * 1000) } else { UInt32(0) }
      (first, last) = (offset, offset)
    }

    /// The first and the last time, in milliseconds since 1970 UTC; `nil` if there is none.
    var times: ClosedRange<Int64>? {
      hour == Self.timeless ? nil : hour * 1000 + Int64(first)...hour * 1000 + Int64(last)
    }

    /// The first second of the hour; `nil` without a time.
    var start: Int64? { hour == Self.timeless ? nil : hour }

    func isBeside(_ other: Hits) -> Bool {
      hour == other.hour && place == other.place && input == other.input
    }

    fileprivate mutating func add(_ other: Hits) {
      (first, last) = (min(first, other.first), max(last, other.last))
      count += other.count
    }
  }

  /// The hits of one address.
  struct Pile: Sendable {
    private(set) var hits: [Hits] = []

    mutating func add(_ hit: Hits) {
      // Usually the hour of the previous one.
      let known = hits.lastIndex { $0.isBeside(hit) }
      if let known { hits[known].add(hit) } else { hits.append(hit) }
    }
  }

  /// The hits that wait for the answer to a question.
  struct Waiting: Sendable {
    let question: AddressCounts.Question
    fileprivate(set) var pile = Pile()
    var hits: [Hits] { pile.hits }
  }

  /// A class of answers with the same result of the condition and the same counts.
  private struct Answer: Hashable {
    let findings: FilterFindings
    let status: Status
    let source: Source?
    let isCached: Bool
  }

  private let filter: Filter
  private var answers = Numbered<Answer>()
  private var places = Numbered<FilterFindings>()
  /// The known results for combinations of both.
  private var excluded: [UInt64: Bool] = [:]
  /// For each question the kind of its answer plus 1; 0 for none.
  private var answered: [Kind] = []
  private(set) var waiting: [Int: Waiting] = [:]
  /// The packets of addresses, by question and place, if totals matter; their times are not needed.
  private var traffic: [UInt64: Totals] = [:]

  init(_ filter: Filter) { self.filter = filter }

  /// The kind of a record's place, as far as the condition distinguishes lines and inputs.
  mutating func kind(ofPlace record: Record, _ text: FilterFindings?) -> Kind {
    // Without such comparisons, all places are equal.
    guard filter.dependsOnPlace || places.all.isEmpty else { return 0 }
    return places.number(of: filter.findings(ofPlace: record, text: text))
  }

  /// The treatment of a hit of a question's address.
  mutating func fate(of question: Int, at place: Kind) -> Fate {
    guard question < answered.count, answered[question] > 0 else { return .awaited }
    let answer = answered[question] - 1
    let pair = UInt64(answer) << 32 | UInt64(place)
    if let isExcluded = excluded[pair] { return isExcluded ? .excluded : .counted }
    // Totals are only known when all hits have come.
    if filter.dependsOnTotals { return .awaited }
    let findings = answers.all[Int(answer)].findings
    let isExcluded = filter.excludes(findings, at: places.all[Int(place)])
    excluded[pair] = isExcluded
    return isExcluded ? .excluded : .counted
  }

  mutating func fate(of hits: Hits, for question: Int) -> Fate {
    fate(of: question, at: hits.place)
  }

  mutating func hold(_ hits: Hits, for question: AddressCounts.Question) {
    waiting[question.number, default: Waiting(question: question)].pile.add(hits)
  }

  /// Applies the answer to a question.
  ///
  /// - Returns: The waiting hits, whether the address is excluded at every place, and the results of
  ///   the condition's comparisons.
  mutating func settle(
    _ question: Int,
    _ record: Record,
    bytes: Span<UInt8>
  ) -> (waiting: Waiting?, isExcluded: Bool, findings: FilterFindings) {
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
    return (waiting.removeValue(forKey: question), isExcluded, findings)
  }

  /// Counts a packet among the totals of a question's address.
  mutating func count(_ packet: UInt64, at place: Kind, of question: Int) {
    guard filter.dependsOnTotals else { return }
    traffic[Self.key(question, place), default: Totals()].add(0, at: nil, packet: packet)
  }

  /// Divides the hits of an address into those that stay and the number of others, by an answer or
  /// what is known before.
  func divided(_ waiting: Waiting, by answer: FilterFindings) -> (staying: [Hits], others: Int) {
    let number = waiting.question.number
    var parts: [(kind: Kind, totals: Totals)] = []
    for hits in waiting.hits {
      let known = parts.firstIndex { $0.kind == hits.place }
      let index = known ?? parts.count
      if known == nil {
        parts.append((hits.place, traffic[Self.key(number, hits.place)] ?? Totals()))
      }
      parts[index].totals.add(hits.count, at: hits.times)
    }
    let verdicts = filter.verdicts(
      of: answer,
      at: parts.map { (places.all[Int($0.kind)], $0.totals) }
    )
    let excluded = Set(zip(parts, verdicts).filter { $1 == .no }.map(\.0.kind))
    let staying = waiting.hits.filter { !excluded.contains($0.place) }
    let others = waiting.hits.filter { excluded.contains($0.place) }
    return (staying, others.reduce(0) { $0 + $1.count })
  }

  private static func key(_ question: Int, _ place: Kind) -> UInt64 {
    UInt64(question) << 32 | UInt64(place)
  }

  /// Removes the hits that no answer could make count, and returns their number and the questions
  /// about the others, in order.
  ///
  /// `entry` gives what is known of an address before any request.
  mutating func judgeTotals(
    _ entry: (AddressCounts.Question) -> FilterFindings
  ) -> (excluded: Int, questions: [Int]) {
    guard filter.dependsOnTotals else { return (0, []) }
    var (excluded, questions) = (0, [Int]())
    for (number, waiting) in waiting {
      let (staying, others) = divided(waiting, by: entry(waiting.question))
      guard staying.isEmpty else {
        questions.append(number)
        continue
      }
      excluded += others
      self.waiting[number] = nil
    }
    return (excluded, questions.sorted())
  }

  /// Counts the answers to questions; unanswered questions are ignored.
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

/// Values numbered in order of insertion.
struct Numbered<Value: Hashable & Sendable>: Sendable {
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
