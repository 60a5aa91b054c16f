import SondeAddresses
import SondeAlerts
package import SondeRecords
package import SondeSQLite
package import SondeSystem
import SondeWeb

/// Judges hits in their order, and keeps what comes of it in a state.
package struct GuardRun {
  /// The largest number of keys, values and times that are remembered.
  package static let mostRemembered = 1_000_000
  /// The message that is printed once when the least recently hit keys are forgotten.
  package static let wordsForForgotten =
    "more than a million keys, values and times: the least recently hit are forgotten"

  /// The number of hits without a value that is needed after which that is reported.
  private static let manyLacking = 100

  /// The number of subjects whose derived facts are cached.
  private static let mostSubjects = 50_000

  /// The facts that an answer implies for all hits of its subject, computed when they are needed.
  private struct SubjectFacts {
    let subject: SubjectKey
    /// The number of the answer; 0 for none.
    var answer: Int
    var findings: FilterFindings?
    var names: KnownNames?
  }

  /// The key and the value of a hit, by their numbers.
  private enum KnownNames {
    case open, missing
    case known(key: Int, value: Int?, name: String?)
  }

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
  /// The facts of each subject, by its number.
  private var facts: [SubjectFacts] = []
  private var numbers = SlotIndex()
  private let hash = AddressHash()
  /// The hits that only a missing answer could judge.
  package private(set) var undecided = Undecided()

  /// The number of hits that lack a needed value; `nil` once a hit has all, or this was reported.
  private var lacking: Int? = 0

  /// A number of hits without an answer.
  package struct Undecided: Sendable {
    package fileprivate(set) var count = 0
    /// Whether the network was lost when some of them were asked about.
    package fileprivate(set) var isByLoss = false

    fileprivate mutating func add(_ answer: GuardAnswer?) {
      count += 1
      isByLoss = isByLoss || answer?.block.records[0].status == .networkLost
    }
  }

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

  /// Judges hits in their order, within a transaction.
  ///
  /// - Throws: ``SQLiteError``.
  mutating func take(
    _ hits: [GuardHit],
    _ answers: GuardAnswers,
    now: Timestamp
  ) throws(SQLiteError) {
    for index in hits.indices {
      let subject = questions.subject(of: hits[index])
      try take(hits[index], of: subject, answers.answer(about: subject), now: now)
    }
  }

  /// Judges the next hit, within a transaction; `answer` is that about its `subject`, if there is one.
  ///
  /// - Throws: ``SQLiteError``.
  package mutating func take(
    _ hit: GuardHit,
    of subject: SubjectKey,
    _ answer: GuardAnswer?,
    now: Timestamp
  ) throws(SQLiteError) {
    let number = number(of: subject, by: answer)
    if hit.verdict != .yes {
      switch verdict(of: hit, answer, number) {
      case .yes: break
      case .open: return undecided.add(answer)
      case .no: return
      }
    }
    let finding: GuardFinding?
    switch try names(of: hit, answer, number) {
    case .missing: return noteLack(hit)
    case .open: return undecided.add(answer)
    case .known(let key, let value, let name):
      let place = judge.wantsPlaces ? HitPlace(hit, answer?.block) : nil
      if place?.hasCoordinates == false { noteLack(hit) } else { lacking = nil }
      finding = memory.change(key: key, value: value) { [judge] key, value in
        judge.take(at: hit.time, place, named: name, &key, &value)
      }
    }
    if let finding { try raise(finding, hit, answer?.block, now) }
  }

  private mutating func noteLack(_ hit: GuardHit) {
    if hit.address.specialPurpose == nil { lacking? += 1 }
  }

  /// The message that no hit has had the needed values; once, after many hits or at the end.
  mutating func wordsForLack(isAtEnd: Bool = false) -> String? {
    let needs = questions.needs
    guard let count = lacking, count >= (isAtEnd ? 1 : Self.manyLacking), !needs.isEmpty else {
      return nil
    }
    lacking = nil
    let names = needs.joined(separator: ", ")
    return "no hit so far has a value for \(names): hits without these values do not count, so "
      + "check that a database or provider in use has them"
  }

  /// The number of a subject, whose facts are renewed if its answer is another one.
  private mutating func number(of subject: SubjectKey, by answer: GuardAnswer?) -> Int {
    let answered = answer?.number ?? 0
    let new = SubjectFacts(subject: subject, answer: answered)
    let hash = UInt32(truncatingIfNeeded: hash.hash(of: subject.address))
    let known = numbers.find(hash, orInsert: facts.count) { [facts] in
      facts[$0].subject == subject
    }
    guard let known else {
      if facts.count == Self.mostSubjects {
        forgetSubjects()
        return number(of: subject, by: answer)
      }
      facts.append(new)
      return facts.count - 1
    }
    if facts[known].answer != answered { facts[known] = new }
    return known
  }

  private mutating func forgetSubjects() { (numbers, facts) = (SlotIndex(), []) }

  private mutating func verdict(of hit: GuardHit, _ answer: GuardAnswer?, _ number: Int)
    -> FilterVerdict
  {
    guard hit.zone.isEmpty else {
      let findings = questions.findings(of: answer?.block ?? .unanswered(hit))
      return questions.verdict(of: hit, by: findings)
    }
    if facts[number].findings == nil {
      facts[number].findings = questions.findings(of: answer?.block ?? .unanswered(hit))
    }
    return questions.verdict(of: hit, by: facts[number].findings)
  }

  private mutating func names(
    of hit: GuardHit,
    _ answer: GuardAnswer?,
    _ number: Int
  ) throws(SQLiteError) -> KnownNames {
    let isOfSubject = !questions.namesDependOnLine && hit.zone.isEmpty
    if isOfSubject, let names = facts[number].names { return names }
    let names: KnownNames
    switch questions.names(of: hit, answer?.block ?? .unanswered(hit)) {
    case .open: names = .open
    case .missing: names = .missing
    case .known(let key, let value):
      names = .known(
        key: try memory.number(ofKey: keyBytes(key), in: state),
        value: try value.map { value throws(SQLiteError) in
          try memory.number(ofValue: keyBytes(key + [value]), in: state)
        },
        name: value
      )
    }
    if isOfSubject { facts[number].names = names }
    return names
  }

  private mutating func raise(
    _ finding: GuardFinding,
    _ hit: GuardHit,
    _ answer: RecordBlock?,
    _ now: Timestamp
  ) throws(SQLiteError) {
    guard case .known(let key, _) = questions.names(of: hit, answer ?? .unanswered(hit)) else {
      return
    }
    let values = zip(questions.keyNames, key).map { ($0, JSON.string($1)) }
    var event = GuardEvent(
      finding,
      of: hit,
      values,
      name: manner.name,
      at: manner.isReplay ? Timestamp(milliseconds: hit.time) : now,
      id: Alert.newKey()
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
  package mutating func write() throws(SQLiteError) -> Bool {
    guard !memory.isEmpty else { return false }
    let hasForgotten = try memory.write(to: state)
    if memory.isEmpty { forgetSubjects() }
    return hasForgotten
  }

  /// Forgets what a failed transaction did not write.
  package mutating func discard() {
    memory.discard()
    forgetSubjects()
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
