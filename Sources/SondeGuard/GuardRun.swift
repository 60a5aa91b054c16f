import SondeAddresses
package import SondeRecords
package import SondeSQLite
package import SondeSystem
import SondeWeb

/// Judges hits in their order, and keeps what comes of it in a state.
package final class GuardRun {
  /// The largest number of keys, values and times that are remembered.
  package static let mostRemembered = 1_000_000

  /// What the alerts of a guard are.
  package struct Manner: Sendable {
    /// The name in alerts; `nil` for none.
    package var name: String?
    /// The alerts that are delivered in an hour; 0 for all.
    package var atMost = 60
    /// Where alerts go that are delivered, beside stdout.
    package var destinations: WaitingAlert.Way = []
    /// Whether an alert is raised at the time of its hit, as in a replay.
    package var isReplay = false

    package init() {}
  }

  package let state: GuardState
  package let questions: GuardQuestions
  private let judge: GuardJudge
  private let rules: GuardRules
  private let manner: Manner
  private var memory: GuardMemory
  /// The hits that only a missing answer could judge.
  package private(set) var undecided = 0

  package init(
    _ questions: GuardQuestions,
    _ rules: GuardRules,
    _ manner: Manner,
    state: GuardState,
    remembering most: Int = mostRemembered
  ) {
    (self.questions, self.rules, self.manner, self.state) = (questions, rules, manner, state)
    judge = GuardJudge(rules)
    memory = GuardMemory(atMost: most)
  }

  /// Judges the next hit, within a transaction; `answer` is that about its address, if there is one.
  ///
  /// - Throws: ``SQLiteError``.
  package func take(_ hit: GuardHit, _ answer: RecordBlock?, now: Timestamp) throws(SQLiteError) {
    let facts = questions.facts(of: hit, answer ?? .unanswered(hit))
    if facts.verdict == .open { undecided += 1 }
    guard facts.verdict == .yes, !facts.key.contains("") else { return }
    if questions.new != nil, facts.value?.isEmpty != false { return }
    let key = keyBytes(facts.key)
    let value = facts.value.map { keyBytes(facts.key + [$0]) }
    var (known, seen) = try memory.recall(key, value, in: state)
    let place = HitPlace(hit, answer)
    let finding = judge.take(place, named: facts.value, &known, &seen)
    memory.keep(key, known, value, seen)
    if let finding { try raise(finding, hit, facts.key, answer, now) }
  }

  private func raise(
    _ finding: GuardFinding,
    _ hit: GuardHit,
    _ key: [String],
    _ answer: RecordBlock?,
    _ now: Timestamp
  ) throws(SQLiteError) {
    let values = zip(questions.keyNames, key).map { ($0, JSON.string($1)) }
    var event = GuardEvent(
      finding,
      of: hit,
      values,
      name: manner.name,
      at: manner.isReplay ? Timestamp(milliseconds: hit.time) : now,
      id: Self.identifier()
    )
    if let answer { event.place(by: answer) }
    let number = try state.count(inHourOf: hit.time)
    let isFlood = manner.atMost > 0 && number == manner.atMost + 1
    if isFlood { event.becomeFlood() }
    var way = WaitingAlert.Way.printed
    if manner.atMost == 0 || number <= manner.atMost || isFlood {
      way.formUnion(manner.destinations)
    }
    if answer == nil, hit.address.specialPurpose == nil { way.insert(.unplaced) }
    try state.add(event.json.bytes, way)
  }

  /// Writes what is remembered, at the end of a transaction; returns whether the least recently hit
  /// keys were forgotten.
  ///
  /// - Throws: ``SQLiteError``.
  package func write() throws(SQLiteError) -> Bool { try memory.write(to: state) }

  /// Forgets what a failed transaction did not write.
  package func discard() { memory.discard() }

  /// 128 random bits in hexadecimal.
  private static func identifier() -> String {
    (0..<4).map { _ in
      let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}

extension RecordBlock {
  /// What is known of a hit's address before any request.
  static func unanswered(_ hit: GuardHit) -> RecordBlock {
    var block = RecordBlock()
    var record = Record(address: hit.address, status: .ok)
    if !hit.zone.isEmpty { record[.item] = block.append(text: hit.zone) }
    block.records = [record]
    return block
  }
}

extension HitPlace {
  fileprivate init(_ hit: GuardHit, _ answer: RecordBlock?) {
    self.init(time: hit.time, ip: hit.addressText)
    guard let answer, let record = answer.records.first else { return }
    (latitude, longitude) = (record.latitude, record.longitude)
    city = answer.text(.city, of: record)
    countryCode = answer.text(.countryCode, of: record)
  }
}
