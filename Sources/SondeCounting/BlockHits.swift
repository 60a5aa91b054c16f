import SondeAddresses
import SondeBlock
import SondeLogs
import SondeRecords
import SondeSummary

/// The hits of each address, as far as is known what they are.
struct BlockHits: Sendable {
  /// The addresses in logs, of which each one is numbered like a question.
  private var addresses = AddressCounts()
  /// The hits of each address at places of each kind, if they depend on places or totals.
  private var placed: PlacedHits
  /// The kinds of places.
  private var kinds: [[FilterFindings]: UInt32] = [:]
  private var places: [[FilterFindings]] = []
  /// Whether hits at each of them are decided, unless that depends on the address.
  private var areDecided: [Bool] = []
  /// The kinds of answers.
  private var classes: [[FilterFindings]: UInt32] = [:]
  private var answers: [[FilterFindings]] = []
  /// For each address in logs the kind of its answer plus 1; 0 for none.
  private var answered: [UInt32] = []
  /// The addresses that were asked about, by the number of the question; the question plus 1 of each.
  private var asked: [Int] = []
  private var questions: [UInt32] = []
  /// The hits of addresses in records.
  private var records = BlockedAddresses()
  private(set) var leftOut = LeftOut()
  private let judge: HitJudge
  private let (comparesTextsAlone, dependsOnAddress): (Bool, Bool)
  private let (dependsOnTotals, dividesHits): (Bool, Bool)

  init(_ judge: HitJudge) {
    self.judge = judge
    comparesTextsAlone = judge.comparesTextsAlone
    dependsOnAddress = judge.dependsOnAddress
    dependsOnTotals = judge.dependsOnTotals
    dividesHits = judge.dependsOnPlace || dependsOnTotals
    placed = PlacedHits(countsAlone: !dependsOnTotals)
  }

  mutating func leave(_ left: LeftOut) { leftOut += left }

  /// The number of hits in logs, of their addresses, and of questions.
  var sizes: (hits: Int, addresses: Int, asked: Int) {
    var hits = 0
    addresses.forEachQuestion { _, _, _, count in hits += count }
    return (hits, addresses.questions, asked.count)
  }

  // MARK: - Input

  mutating func count(
    _ record: Record,
    bytes: Span<UInt8>,
    as profile: Profiles.ID,
    _ profiles: Profiles
  ) {
    guard let address = record.address else { return }
    let verdict = judge.verdict(of: dependsOnTotals ? record.counted : record, bytes: bytes)
    let number = records.number(of: address)
    records[number].add(max(1, record.totals?.hits ?? 1), verdict)
    // The same one, in whatever order records come.
    let isBetter = records[number].profile.map { known in
      profile != known && profiles.origin(of: profile) < profiles.origin(of: known)
    }
    if isBetter ?? true { records[number].profile = profile }
  }

  /// Counts the content of a log's slice; returns the addresses that must be asked about.
  mutating func count(
    _ slice: CountedSlice,
    behind lines: UInt64,
    _ input: UInt32
  ) -> ChosenAddresses {
    leftOut += slice.leftOut
    var chosen = ChosenAddresses(first: asked.count)
    for number in 0..<slice.found.blockCount {
      let block = slice.found.block(number)
      var new = addresses.count(slice.found, block)
      if dividesHits {
        place(slice, block, behind: lines, input, &chosen)
      } else {
        while new != 0 {
          let index = block.lowerBound + new.trailingZeroBitCount
          new &= new - 1
          let (address, zone) = (slice.found.addresses[index], slice.found.zones[index])
          ask(address, zone, nil, &chosen)
        }
      }
    }
    return chosen
  }

  private mutating func place(
    _ slice: CountedSlice,
    _ block: Range<Int>,
    behind lines: UInt64,
    _ input: UInt32,
    _ chosen: inout ChosenAddresses
  ) {
    for index in block {
      let (address, zone) = (slice.found.addresses[index], slice.found.zones[index])
      let place = slice.places[index]
      let line = slice.isCaptured ? 0 : lines + UInt64(place.line) + 1
      guard let question = addresses.question(about: address, zone: zone) else { continue }
      let kind = kind(of: Place(line: line, input: input, time: place.time), place.text)
      let isNew = placed.count(place, of: question.number, kind)
      // With totals, it is only known at the end who must be asked about.
      if isNew, !dependsOnTotals { ask(address, zone, Int(kind), &chosen) }
    }
  }

  private mutating func kind(of place: Place, _ text: [FilterFindings]?) -> UInt32 {
    if comparesTextsAlone, let text { return kind(of: text) }
    var record = Record(address: nil, status: .ok)
    record.place = place
    return kind(of: judge.findings(ofPlace: record, text: text))
  }

  private mutating func kind(of findings: [FilterFindings]) -> UInt32 {
    // There are few of them.
    if let known = places.prefix(8).firstIndex(of: findings) { return UInt32(known) }
    if let known = kinds[findings] { return known }
    let kind = UInt32(places.count)
    places.append(findings)
    kinds[findings] = kind
    if !dependsOnAddress, !dependsOnTotals {
      let nothing = judge.conditions.map { _ in FilterFindings() }
      areDecided.append(judge.isDecided(nothing, at: [(findings, Totals())]))
    }
    return kind
  }

  /// Asks about an address unless no answer could change anything, or it was asked about before.
  private mutating func ask(
    _ address: Address,
    _ zone: [UInt8]?,
    _ kind: Int?,
    _ chosen: inout ChosenAddresses
  ) {
    if let kind, kind < areDecided.count, areDecided[kind] { return }
    guard let number = addresses.question(about: address, zone: zone)?.number,
      number >= questions.count || questions[number] == 0
    else { return }
    let place = kind.map { places[$0] } ?? placeless
    guard !judge.isDecided(entry(address, zone), at: [(place, Totals())]) else { return }
    note(askedAbout: number)
    chosen.append(address, zone, isNew: true)
  }

  private mutating func note(askedAbout number: Int) {
    while questions.count <= number { questions.append(0) }
    asked.append(number)
    questions[number] = UInt32(asked.count)
  }

  /// The addresses to ask about once all totals are known: those that an answer could change.
  mutating func remaining() -> [(address: Address, zone: [UInt8]?)] {
    guard dependsOnTotals else { return [] }
    let parts = self.parts
    var found: [(number: Int, address: Address, zone: [UInt8]?)] = []
    addresses.forEachQuestion { number, address, zone, count in
      let isDecided = judge.isDecided(entry(address, zone), at: parts[number] ?? [])
      if !isDecided { found.append((number, address, zone)) }
    }
    for (number, _, _) in found { note(askedAbout: number) }
    return found.map { ($0.address, $0.zone) }
  }

  /// What is known of an address before any request.
  private func entry(_ address: Address, _ zone: [UInt8]?) -> [FilterFindings] {
    guard dependsOnAddress else { return judge.conditions.map { _ in FilterFindings() } }
    let bytes = zone ?? []
    var record = Record(address: address, status: .ok)
    record[.item] = TextRange(offset: 0, count: UInt32(bytes.count))
    return judge.findings(ofEntry: record, bytes: bytes.span)
  }

  /// Takes the answer to a question.
  mutating func settle(_ question: Int, _ record: Record, bytes: Span<UInt8>) {
    let findings = judge.findings(ofAnswer: record, bytes: bytes)
    let number = asked[question]
    let known = classes[findings]
    let kind = known ?? UInt32(answers.count)
    if known == nil {
      classes[findings] = kind
      answers.append(findings)
    }
    while answered.count <= number { answered.append(0) }
    answered[number] = kind + 1
  }

  // MARK: - Results

  /// The hits of each address, and where addresses belong of which that is known.
  func settled(_ profiles: Profiles) -> (hits: [AddressHits], origin: (Address) -> Profiles.Origin?)
  {
    var all = records
    if dependsOnTotals { addByTotals(to: &all) } else { addByPlaces(to: &all) }
    let hits = all.all.map { counted in
      var hits = counted.hits
      // Without a condition for good hits, all of an address without bad ones are good.
      if judge.good == nil, hits.bad == 0 {
        hits.good += counted.neither
      } else {
        hits.other += counted.neither
      }
      return hits
    }
    guard !asked.isEmpty || !records.all.isEmpty else { return (hits, { _ in nil }) }
    return (
      hits,
      { [records, questions, addresses] address in
        if let profile = records.known(address).flatMap({ records[$0].profile }) {
          return profiles.origin(of: profile)
        }
        guard let number = addresses.question(about: address, zone: nil)?.number,
          number < questions.count, questions[number] > 0
        else { return nil }
        return profiles.origin(ofAnswerTo: Int(questions[number]) - 1)
      }
    )
  }

  /// Adds the hits in logs, where totals decide what they are.
  private func addByTotals(to all: inout BlockedAddresses) {
    let parts = self.parts
    addresses.forEachQuestion { question, address, zone, count in
      let own = parts[question] ?? []
      let number = all.number(of: address)
      let verdicts = judge.verdicts(of: answer(to: question, address, zone), at: own)
      for (part, verdict) in zip(own, verdicts) { all[number].add(part.totals.hits, verdict) }
    }
  }

  /// Adds the hits in logs, each by its place alone: there are few kinds of answers and places.
  private func addByPlaces(to all: inout BlockedAddresses) {
    // Behind the answers are what is known of addresses without one; the first is nothing.
    var entries = Numbered<[FilterFindings]>()
    _ = entries.number(of: judge.conditions.map { _ in FilterFindings() })
    var verdicts: [UInt64: HitJudge.Verdict] = [:]
    let verdict = { (answer: Int, kind: UInt32, place: () -> [FilterFindings]) in
      let key = UInt64(answer) << 32 | UInt64(kind)
      if let verdict = verdicts[key] { return verdict }
      let isAnswer = answer < answers.count
      let findings = isAnswer ? answers[answer] : entries.all[answer - answers.count]
      let verdict = judge.verdict(of: findings, at: place())
      verdicts[key] = verdict
      return verdict
    }
    var settled: [(number: Int, answer: Int)] = []
    settled.reserveCapacity(addresses.questions)
    addresses.forEachQuestion { question, address, zone, count in
      var answer = answers.count
      if let kind = answerKind(of: question) {
        answer = kind
      } else if dependsOnAddress {
        answer += Int(entries.number(of: entry(address, zone)))
      }
      let number = all.number(of: address)
      while settled.count <= question { settled.append((0, 0)) }
      settled[question] = (number, answer)
      if !dividesHits { all[number].add(UInt64(count), verdict(answer, .max) { placeless }) }
    }
    placed.forEach { question, kind, hits in
      let (number, answer) = settled[question]
      all[number].add(hits, verdict(answer, kind) { places[Int(kind)] })
    }
  }

  /// The answer to a question, or what is known before any request.
  private func answer(to question: Int, _ address: Address, _ zone: [UInt8]?) -> [FilterFindings] {
    answerKind(of: question).map { answers[$0] } ?? entry(address, zone)
  }

  private func answerKind(of question: Int) -> Int? {
    question < answered.count && answered[question] > 0 ? Int(answered[question]) - 1 : nil
  }

  /// The hits at places of each kind, by the number of the question.
  private var parts: [Int: [HitJudge.Part]] {
    placed.parts.sorted { ($0.question, $0.kind) < ($1.question, $1.kind) }
      .reduce(into: [:]) { parts, part in
        parts[Int(part.question), default: []].append((places[Int(part.kind)], part.totals))
      }
  }

  /// The findings of a place where no condition compares it.
  private var placeless: [FilterFindings] {
    judge.findings(ofPlace: Record(address: nil, status: .ok))
  }
}

/// The hits at places, apart by their addresses and the kinds of the places.
private struct PlacedHits: Sendable {
  struct Part: Sendable {
    let question: UInt32
    let kind: UInt32
    var totals = Totals()
  }

  /// How many kinds have hits that lie side by side, for which less memory is waited for; most places are
  /// of these.
  private static let mostCommon = 2

  private let countsAlone: Bool
  private var common: [UInt64] = []
  private(set) var parts: [Part] = []
  private var slots = SlotIndex()

  /// Creates it empty; if it `countsAlone`, nothing but numbers is kept of hits at most places.
  init(countsAlone: Bool) { self.countsAlone = countsAlone }

  /// Counts a hit; returns whether it is the first of its address at such a place.
  mutating func count(_ place: CountedPlaces.Place, of question: Int, _ kind: UInt32) -> Bool {
    if countsAlone, kind < Self.mostCommon {
      let index = question * Self.mostCommon + Int(kind)
      while common.count <= index { common.append(0) }
      common[index] += 1
      return common[index] == 1
    }
    let question = UInt32(question)
    let hash = (question &* 0x9e37_79b9) ^ (kind &* 0x85eb_ca6b)
    let known = slots.find(hash, orInsert: parts.count) {
      parts[$0].question == question && parts[$0].kind == kind
    }
    if known == nil { parts.append(Part(question: question, kind: kind)) }
    let index = known ?? parts.count - 1
    parts[index].totals.add(1, at: place.time.map { $0...$0 }, packet: place.packet)
    return known == nil
  }

  /// Calls `body` with the number of hits of each question at places of each kind.
  func forEach(_ body: (_ question: Int, _ kind: UInt32, _ hits: UInt64) -> Void) {
    for (index, hits) in common.enumerated() where hits > 0 {
      body(index / Self.mostCommon, UInt32(index % Self.mostCommon), hits)
    }
    for part in parts { body(Int(part.question), part.kind, part.totals.hits) }
  }
}
