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
  private var placed: [UInt64: Totals] = [:]
  /// The kinds of places and of answers that the conditions distinguish.
  private var places = FindingKinds()
  private var answers = FindingKinds()
  /// For each address in logs the kind of its answer plus 1; 0 for none.
  private var answered: [UInt32] = []
  /// The addresses that were asked about, by the number of the question; the question plus 1 of each.
  private var asked: [Int] = []
  private var questions: [UInt32] = []
  /// The hits of addresses in records, and where the records say that these belong.
  private var records: [Address: BlockTally] = [:]
  private var profiles: [Address: Profiles.ID] = [:]
  /// The same hits by kind, if they depend on totals.
  private var recordParts: [Address: [RecordPart]] = [:]
  private(set) var leftOut = LeftOut()
  private let judge: HitJudge

  /// Records of an address with answers and places of one kind.
  private struct RecordPart {
    let answer: UInt32
    let place: UInt32
    var totals: Totals
  }

  init(_ judge: HitJudge) { self.judge = judge }

  /// Whether the hits of an address are divided by kind.
  private var dividesHits: Bool { judge.dependsOnPlace || judge.dependsOnTotals }

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
    _ known: Profiles
  ) {
    guard let address = record.address else { return }
    if let other = profiles[address] {
      // The same one, in whatever order records come.
      let isBetter = profile != other && known.origin(of: profile) < known.origin(of: other)
      if isBetter { profiles[address] = profile }
    } else {
      profiles[address] = profile
    }
    guard judge.dependsOnTotals else {
      let verdict = judge.verdict(of: record, bytes: bytes)
      records[address, default: BlockTally()].add(max(1, record.totals?.hits ?? 1), verdict)
      return
    }
    var totals = record.totals ?? Totals()
    totals.hits = max(1, totals.hits)
    totals.note(record.place.time)
    let part = RecordPart(
      answer: answers.number(of: judge.findings(ofAnswer: record, bytes: bytes)),
      place: places.number(of: judge.findings(ofPlace: record)),
      totals: totals
    )
    add(part, of: address)
  }

  private mutating func add(_ part: RecordPart, of address: Address) {
    var parts = recordParts[address] ?? []
    recordParts[address] = nil
    let known = parts.firstIndex { $0.answer == part.answer && $0.place == part.place }
    if let known { parts[known].totals += part.totals } else { parts.append(part) }
    recordParts[address] = parts
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
          ask(slice.found.addresses[index], slice.found.zones[index], at: placeless, &chosen)
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
      guard let question = addresses.question(about: address, zone: zone) else { continue }
      let hit = slice.places[index]
      var record = Record(address: nil, status: .ok)
      let line = slice.isCaptured ? 0 : lines + UInt64(hit.line) + 1
      record.place = Place(line: line, input: input, time: hit.time)
      let kind = places.number(of: judge.findings(ofPlace: record, hit.texts))
      let key = UInt64(question.number) << 32 | UInt64(kind)
      if placed[key] == nil, !judge.dependsOnTotals {
        ask(address, zone, at: places[kind], &chosen)
      }
      placed[key, default: Totals()].add(at: hit.time, packet: hit.packet)
    }
  }

  /// Asks about an address unless no answer could change anything, or it was asked about before.
  private mutating func ask(
    _ address: Address,
    _ zone: [UInt8]?,
    at place: [FilterFindings],
    _ chosen: inout ChosenAddresses
  ) {
    guard let number = addresses.question(about: address, zone: zone)?.number,
      number >= questions.count || questions[number] == 0
    else { return }
    let part = HitPart(answer: unanswered(address, zone), place: place, totals: Totals())
    guard !judge.isDecided([part]) else { return }
    note(number)
    chosen.append(address, zone, isNew: true)
  }

  /// Notes that an address is asked about.
  private mutating func note(_ number: Int) {
    while questions.count <= number { questions.append(0) }
    asked.append(number)
    questions[number] = UInt32(asked.count)
  }

  /// The addresses to ask about once all totals are known; none if hits do not depend on them.
  mutating func asking() -> [(address: Address, zone: [UInt8]?)] {
    guard judge.dependsOnTotals else { return [] }
    let kinds = placesByAddress
    var open: [(number: Int, address: Address, zone: [UInt8]?)] = []
    addresses.forEachQuestion { number, address, zone, _ in
      let answer = unanswered(address, zone)
      let parts = (kinds[number] ?? []).map {
        HitPart(answer: answer, place: places[$0.kind], totals: $0.totals)
      }
      let others = zone == nil ? self.parts(ofRecordsOf: address) : []
      if !judge.isDecided(parts + others) { open.append((number, address, zone)) }
    }
    for question in open { note(question.number) }
    return open.map { ($0.address, $0.zone) }
  }

  /// Takes the answer to a question.
  mutating func settle(_ question: Int, _ record: Record, bytes: Span<UInt8>) {
    let kind = answers.number(of: judge.findings(ofAnswer: record, bytes: bytes))
    let number = asked[question]
    while answered.count <= number { answered.append(0) }
    answered[number] = kind + 1
  }

  // MARK: - Results

  /// The hits of each address, and where addresses belong of which that is known.
  func settled(_ profiles: Profiles) -> (hits: [AddressHits], origin: (Address) -> Profiles.Origin?)
  {
    var all = records
    var parts = recordParts.mapValues { $0.map { part($0) } }
    let kinds = placesByAddress
    addresses.forEachQuestion { number, address, zone, count in
      let answer = answer(of: number, address, zone)
      let own =
        dividesHits
        ? (kinds[number] ?? []).map {
          HitPart(answer: answer, place: places[$0.kind], totals: $0.totals)
        }
        : [HitPart(answer: answer, place: placeless, totals: .hits(count))]
      if judge.dependsOnTotals {
        parts[address, default: []] += own
      } else {
        all[address, default: BlockTally()].add(own, judge)
      }
    }
    for (address, parts) in parts { all[address, default: BlockTally()].add(parts, judge) }
    return (
      all.map { $1.hits(of: $0, goodByAddress: judge.good == nil) },
      { [places = self.profiles, questions, addresses] address in
        if let profile = places[address] { return profiles.origin(of: profile) }
        guard let number = addresses.question(about: address, zone: nil)?.number,
          number < questions.count, questions[number] > 0
        else { return nil }
        return profiles.origin(ofAnswerTo: Int(questions[number]) - 1)
      }
    )
  }

  /// The kinds of places of each address in logs, with its hits there.
  private var placesByAddress: [Int: [(kind: UInt32, totals: Totals)]] {
    var all: [Int: [(kind: UInt32, totals: Totals)]] = [:]
    for (key, totals) in placed {
      all[Int(key >> 32), default: []].append((UInt32(truncatingIfNeeded: key), totals))
    }
    return all
  }

  private func part(_ part: RecordPart) -> HitPart {
    HitPart(answer: answers[part.answer], place: places[part.place], totals: part.totals)
  }

  private func parts(ofRecordsOf address: Address) -> [HitPart] {
    (recordParts[address] ?? []).map { part($0) }
  }

  /// The findings of the answer about an address, or of what is known without one.
  private func answer(of number: Int, _ address: Address, _ zone: [UInt8]?) -> [FilterFindings] {
    guard number < answered.count, answered[number] > 0 else { return unanswered(address, zone) }
    return answers[answered[number] - 1]
  }

  /// The findings of an address before any request.
  private func unanswered(_ address: Address, _ zone: [UInt8]?) -> [FilterFindings] {
    var record = Record(address: address, status: .ok)
    let bytes = zone ?? []
    record[.item] = TextRange(offset: 0, count: UInt32(bytes.count))
    return judge.findings(ofAnswer: record, bytes: bytes.span, isMissing: true)
  }

  /// The findings of a place where no condition compares it.
  private var placeless: [FilterFindings] {
    judge.findings(ofPlace: Record(address: nil, status: .ok))
  }
}

/// The hits of an address by what they are.
private struct BlockTally: Sendable {
  private var bad: UInt64 = 0
  private var good: UInt64 = 0
  /// The hits that are good if none is bad.
  private var neither: UInt64 = 0

  mutating func add(_ count: UInt64, _ verdict: HitJudge.Verdict) {
    switch verdict {
    case .bad: bad += count
    case .good: good += count
    case .neither: neither += count
    }
  }

  mutating func add(_ parts: [HitPart], _ judge: HitJudge) {
    for (part, verdict) in zip(parts, judge.verdicts(of: parts)) { add(part.totals.hits, verdict) }
  }

  /// The hits; `goodByAddress` if all of an address without bad ones are good.
  func hits(of address: Address, goodByAddress: Bool) -> AddressHits {
    var hits = AddressHits(address)
    (hits.bad, hits.good) = (bad, good)
    if goodByAddress, bad == 0 { hits.good += neither } else { hits.other += neither }
    return hits
  }
}

/// Findings that are numbered in the order in which they come.
private struct FindingKinds: Sendable {
  private var numbers: [[FilterFindings]: UInt32] = [:]
  private var all: [[FilterFindings]] = []

  subscript(number: UInt32) -> [FilterFindings] { all[Int(number)] }

  mutating func number(of findings: [FilterFindings]) -> UInt32 {
    if let known = numbers[findings] { return known }
    let number = UInt32(all.count)
    all.append(findings)
    numbers[findings] = number
    return number
  }
}

extension Totals {
  /// Those of some hits of which nothing else is known.
  fileprivate static func hits(_ count: Int) -> Totals {
    var totals = Totals()
    totals.hits = UInt64(count)
    return totals
  }
}
