import SondeAddresses
import SondeBlock
import SondeLogs
import SondeRecords
import SondeSummary

/// The hits of each address, as far as is known what they are.
struct BlockHits: Sendable {
  /// The addresses in logs, of which each one is numbered like a question.
  private var addresses = AddressCounts()
  /// The number of hits of each address at places of each kind, if they depend on places.
  private var placed: [UInt64: UInt64] = [:]
  /// The kinds of places, and one place of each.
  private var kinds: [[FilterFindings]: UInt32] = [:]
  private var places: [(place: Place, findings: [FilterFindings])] = []
  /// The kinds of answers.
  private var classes: [[FilterFindings]: UInt32] = [:]
  private var answers: [[FilterFindings]] = []
  /// For each address in logs the kind of its answer plus 1; 0 for none.
  private var answered: [UInt32] = []
  /// The addresses that were asked about, by the number of the question; the question plus 1 of each.
  private var asked: [Int] = []
  private var questions: [UInt32] = []
  /// The hits of addresses in records.
  private var records: [Address: Counted] = [:]
  private(set) var leftOut = LeftOut()
  private let judge: HitJudge

  /// The hits of an address.
  private struct Counted {
    var hits: AddressHits
    /// The hits that are good if none is bad.
    var neither: UInt64 = 0
    /// Where records say that it belongs.
    var profile: Profiles.ID?

    init(_ address: Address) { hits = AddressHits(address) }

    mutating func add(_ count: UInt64, _ verdict: HitJudge.Verdict) {
      switch verdict {
      case .bad: hits.bad += count
      case .good: hits.good += count
      case .neither: neither += count
      }
    }
  }

  init(_ judge: HitJudge) { self.judge = judge }

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
    let verdict = judge.verdict(of: record, bytes: bytes)
    let index = records.index(forKey: address)
    var counted = index.map { records.values[$0] } ?? Counted(address)
    counted.add(max(1, record.totals?.hits ?? 1), verdict)
    if let known = counted.profile {
      // The same one, in whatever order records come.
      let isBetter = profile != known && profiles.origin(of: profile) < profiles.origin(of: known)
      if isBetter { counted.profile = profile }
    } else {
      counted.profile = profile
    }
    if let index { records.values[index] = counted } else { records[address] = counted }
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
      if judge.dependsOnPlace {
        place(slice, block, behind: lines, input, &chosen)
      } else {
        while new != 0 {
          let index = block.lowerBound + new.trailingZeroBitCount
          new &= new - 1
          let place = Place(line: 0, input: 0)
          ask(slice.found.addresses[index], slice.found.zones[index], at: place, &chosen)
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
      let line = slice.isCaptured ? 0 : lines + UInt64(slice.places[index].line) + 1
      let place = Place(line: line, input: input, time: slice.places[index].time)
      guard let question = addresses.question(about: address, zone: zone) else { continue }
      let key = UInt64(question.number) << 32 | UInt64(kind(of: place))
      if let count = placed[key] {
        placed[key] = count + 1
      } else {
        placed[key] = 1
        ask(address, zone, at: place, &chosen)
      }
    }
  }

  private mutating func kind(of place: Place) -> UInt32 {
    var record = Record(address: nil, status: .ok)
    record.place = place
    let findings = judge.findings(ofPlace: record)
    if let known = kinds[findings] { return known }
    let kind = UInt32(places.count)
    places.append((place, findings))
    kinds[findings] = kind
    return kind
  }

  /// Asks about an address unless no answer could change anything, or it was asked about before.
  private mutating func ask(
    _ address: Address,
    _ zone: [UInt8]?,
    at place: Place,
    _ chosen: inout ChosenAddresses
  ) {
    guard let number = addresses.question(about: address, zone: zone)?.number,
      number >= questions.count || questions[number] == 0
    else { return }
    let bytes = zone ?? []
    guard !judge.isDecided(Self.record(address, bytes, at: place), bytes: bytes.span) else {
      return
    }
    while questions.count <= number { questions.append(0) }
    asked.append(number)
    questions[number] = UInt32(asked.count)
    chosen.append(address, zone, isNew: true)
  }

  private static func record(_ address: Address, _ zone: [UInt8], at place: Place) -> Record {
    var record = Record(address: address, status: .ok)
    record.place = place
    record[.item] = TextRange(offset: 0, count: UInt32(zone.count))
    return record
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
    let byKind = placed.isEmpty ? [:] : Dictionary(grouping: placed) { Int($0.key >> 32) }
    addresses.forEachQuestion { number, address, zone, count in
      var counted = all[address] ?? Counted(address)
      if judge.dependsOnPlace {
        for (key, count) in byKind[number] ?? [] {
          let place = places[Int(UInt32(truncatingIfNeeded: key))]
          counted.add(count, verdict(number, address, zone, place.place, place.findings))
        }
      } else {
        let place = Place(line: 0, input: 0)
        counted.add(UInt64(count), verdict(number, address, zone, place, nil))
      }
      all[address] = counted
    }
    let hits = all.values.map { counted in
      var hits = counted.hits
      // Without a condition for good hits, all of an address without bad ones are good.
      if judge.good == nil, hits.bad == 0 {
        hits.good += counted.neither
      } else {
        hits.other += counted.neither
      }
      return hits
    }
    return (
      hits,
      { [records, questions, addresses] address in
        if let profile = records[address]?.profile { return profiles.origin(of: profile) }
        guard let number = addresses.question(about: address, zone: nil)?.number,
          number < questions.count, questions[number] > 0
        else { return nil }
        return profiles.origin(ofAnswerTo: Int(questions[number]) - 1)
      }
    )
  }

  private func verdict(
    _ number: Int,
    _ address: Address,
    _ zone: [UInt8]?,
    _ place: Place,
    _ findings: [FilterFindings]?
  ) -> HitJudge.Verdict {
    if number < answered.count, answered[number] > 0 {
      let answer = answers[Int(answered[number]) - 1]
      return judge.verdict(answer, at: findings ?? placeless)
    }
    let bytes = zone ?? []
    let record = Self.record(address, bytes, at: place)
    return judge.verdict(beforeAsking: record, bytes: bytes.span)
  }

  /// The findings of a place where no condition compares it.
  private var placeless: [FilterFindings] {
    judge.findings(ofPlace: Record(address: nil, status: .ok))
  }
}
