import SondeAddresses
import SondeLogs
import SondeRecords
import SondeSummary

/// The number and the times of each address's hits, as far as their inclusion is known.
struct SummaryHits: Sendable {
  private(set) var addresses = AddressCounts()
  private(set) var timeline: Timeline
  private(set) var leftOut = LeftOut()
  /// The hits for tables of combinations; `nil` for none.
  private(set) var occurrences: Occurrences?
  private let rules: SummaryRules
  /// The hits whose inclusion is unknown; `nil` if the slices decide.
  private var awaited: AwaitedHits?
  /// The addresses with the entries that ``occurrences`` counts, where they differ.
  private var grouped: AddressCounts?
  /// The addresses with the entries that ``occurrences`` counts.
  var groupedAddresses: AddressCounts { grouped ?? addresses }

  init(_ rules: SummaryRules) {
    (self.rules, timeline) = (rules, Timeline(zone: rules.zone))
    if rules.countsOccurrences {
      occurrences = Occurrences(for: rules.groupings, byTime: rules.countsByTime)
    }
    if rules.choosesLater { awaited = rules.filter.map { AwaitedHits($0) } }
  }

  /// Adds input excluded elsewhere.
  mutating func leave(_ left: LeftOut) { leftOut += left }

  /// Counts a record as its hits, at its time; the first and the last one count for combinations.
  mutating func count(_ record: Record, zone: [UInt8], as profile: Profiles.ID) {
    let hits = Int(clamping: max(1, record.totals?.hits ?? 1))
    let entry = addresses.count(record.address, zone: zone, as: profile, hits: hits)
    let time = record.place.time
    if let time { timeline.count(hits, at: time) }
    let hour = time.map { timeline.hour(of: $0) }
    occurrences?.count(
      hits,
      of: entry,
      orOf: profile,
      in: hour,
      at: record.totals?.times ?? time.map { $0...$0 },
      ofInput: record.place.input
    )
  }

  /// Counts an occurrence of a list's address.
  mutating func count(_ address: Address?, zone: String?) {
    guard let address else { return }
    let zone = zone.map { Array($0.utf8) }
    let question =
      addresses.question(about: address, zone: zone) ?? addresses.ask(about: address, zone: zone)
    addresses.count(1, of: question)
  }

  // MARK: - Logs

  /// Counts the content of a log's slice; returns the addresses that are not yet excluded.
  ///
  /// `lines` is the number of preceding line ends in the input, if needed.
  mutating func count(
    _ slice: CountedSlice,
    behind lines: UInt64,
    ofInput input: UInt32
  ) -> ChosenAddresses {
    leftOut += slice.leftOut
    var chosen = ChosenAddresses(first: addresses.questions)
    guard awaited == nil else {
      choose(from: slice, behind: lines, input, &chosen)
      return chosen
    }
    timeline.add(slice.timeline)
    guard rules.periods == nil else {
      countDated(slice, input, &chosen)
      return chosen
    }
    chosen.found = slice.found
    chosen.masks = (0..<slice.found.blockCount).map {
      count(slice, slice.found.block($0), ofInput: input)
    }
    return chosen
  }

  /// Counts a block of hits, also for tables of combinations; returns a bit for each that caused a
  /// new question.
  private mutating func count(
    _ slice: CountedSlice,
    _ block: Range<Int>,
    ofInput input: UInt32
  ) -> UInt64 {
    var entries = InlineArray<64, UInt32>(repeating: 0)
    let new = addresses.count(slice.found, block, noting: &entries)
    occurrences?.count(
      entries.span.extracting(0..<block.count),
      at: slice.places.times.span.extracting(block),
      on: &timeline,
      ofInput: input
    )
    return new
  }

  /// Counts the hits of a slice, each for the answer of its time.
  private mutating func countDated(
    _ slice: CountedSlice,
    _ input: UInt32,
    _ chosen: inout ChosenAddresses
  ) {
    for (index, address) in slice.found.addresses.enumerated() {
      let (place, zone) = (slice.places[index], slice.found.zones[index])
      let known = addresses.question(about: address, zone: zone, in: place.period)
      chosen.append(address, zone, isNew: known == nil, in: place.period, input)
      let question = known ?? addresses.ask(about: address, zone: zone, in: place.period)
      addresses.count(1, of: question)
      let hour = place.time.map { timeline.hour(of: $0) }
      let times = place.time.map { $0...$0 }
      occurrences?.count(1, of: question, in: hour, at: times, ofInput: input)
    }
  }

  private mutating func choose(
    from slice: CountedSlice,
    behind lines: UInt64,
    _ input: UInt32,
    _ chosen: inout ChosenAddresses
  ) {
    for index in slice.found.addresses.indices {
      let place = slice.places[index]
      let (address, zone) = (slice.found.addresses[index], slice.found.zones[index])
      var record = Record(address: address, status: .ok)
      // A capture has no lines.
      let line = slice.isCaptured ? 0 : lines + UInt64(place.line) + 1
      record.place = Place(line: line, input: input, time: place.time)
      record.place.period = place.period
      record[.item] = TextRange(offset: 0, count: UInt32(zone?.count ?? 0))
      let text = place.text?.first
      guard let question = question(about: record, zone, text, &chosen) else {
        leftOut.excluded += 1
        continue
      }
      let kind = awaited?.kind(ofPlace: record, text) ?? 0
      if let packet = place.packet { awaited?.count(packet, at: kind, of: question.number) }
      take(hit(record, ofKind: kind), of: question)
    }
  }

  private mutating func hit(_ record: Record, ofKind kind: AwaitedHits.Kind) -> AwaitedHits.Hits {
    let time = record.place.time
    return AwaitedHits.Hits(
      time,
      inHour: time.map { timeline.hour(of: $0) },
      at: kind,
      ofInput: occurrences == nil ? 0 : record.place.input
    )
  }

  /// The question about an address, created if necessary; `nil` if it is excluded in any case.
  private mutating func question(
    about record: Record,
    _ zone: [UInt8]?,
    _ text: FilterFindings?,
    _ chosen: inout ChosenAddresses
  ) -> AddressCounts.Question? {
    guard let address = record.address else { return nil }
    let period = record.place.period
    let known = addresses.question(about: address, zone: zone, in: period)
    let bytes = zone ?? []
    guard known != nil || !rules.excludes(record, bytes: bytes.span, text) else { return nil }
    chosen.append(address, zone, isNew: known == nil, in: period, record.place.input)
    return known ?? addresses.ask(about: address, zone: zone, in: period)
  }

  private mutating func take(_ hits: AwaitedHits.Hits, of question: AddressCounts.Question) {
    switch awaited?.fate(of: hits, for: question.number) {
    case .counted: count(hits, of: question)
    case .excluded: leftOut.excluded += hits.count
    case .awaited: awaited?.hold(hits, for: question)
    case nil: break
    }
  }

  private mutating func count(_ hits: AwaitedHits.Hits, of question: AddressCounts.Question) {
    addresses.count(hits.count, of: question)
    if let times = hits.times { timeline.count(hits.count, at: times) }
    occurrences?.count(
      hits.count,
      of: question,
      in: hits.start,
      at: hits.times,
      ofInput: hits.input
    )
  }

  /// Decides about hits that waited; returns whether none of the address counts at any place.
  mutating func settle(_ question: Int, _ record: Record, bytes: Span<UInt8>) -> Bool {
    guard let settled = awaited?.settle(question, record, bytes: bytes) else { return false }
    guard let waiting = settled.waiting else { return settled.isExcluded }
    let (staying, others) = awaited?.divided(waiting, by: settled.findings) ?? ([], 0)
    for hits in staying { count(hits, of: waiting.question) }
    leftOut.excluded += others
    return settled.isExcluded || rules.awaitsTotals && staying.isEmpty
  }

  /// Excludes addresses by their totals once all hits are known; returns the questions about all
  /// others, in order.
  mutating func judgeTotals() -> [Int] {
    guard let filter = rules.filter, filter.dependsOnTotals else { return [] }
    let addresses = addresses
    let (excluded, questions) =
      awaited?.judgeTotals { question in
        let (address, zone) = addresses.address(of: question)
        let bytes = zone ?? []
        var record = Record(address: address, status: .ok)
        record[.item] = TextRange(offset: 0, count: UInt32(bytes.count))
        return filter.findings(ofEntry: record, bytes: bytes.span)
      } ?? (0, [])
    leftOut.excluded += excluded
    return questions
  }

  // MARK: - Results

  /// A read-only copy in which waiting hits count, and excluded ones are removed.
  var settled: SummaryHits {
    guard awaited != nil else { return self }
    var settled = self
    for waiting in (settled.awaited?.waiting ?? [:]).values {
      for hits in waiting.hits {
        settled.count(hits, of: waiting.question)
      }
    }
    settled.grouped = settled.addresses
    settled.addresses = settled.addresses.met
    return settled
  }

  /// The tally of included addresses in logs; `nil` if the scan's own tally has it.
  var tally: Tally? { awaited?.tally(of: addresses.questionNumbers) }
}

/// The addresses of a log that are not excluded before any request.
struct ChosenAddresses: Sendable {
  fileprivate(set) var found = FoundAddresses()
  /// For each block of addresses a bit for each that caused a new question.
  fileprivate(set) var masks: [UInt64] = []
  /// The number of the first of these questions.
  let first: UInt64
  /// The places of these questions, if answers depend on times; otherwise empty.
  fileprivate(set) var places: [Place] = []

  init(first: Int) { self.first = UInt64(first) }

  mutating func append(
    _ address: Address,
    _ zone: [UInt8]?,
    isNew: Bool,
    in period: BuildPeriod = .undated,
    _ input: UInt32 = 0
  ) {
    if isNew, period != .undated {
      var place = Place(input: input)
      place.period = period
      places.append(place)
    }
    let position = found.addresses.count % DistinctSet.blockSize
    if position == 0 { masks.append(0) }
    if isNew { masks[masks.count - 1] |= 1 << UInt64(position) }
    found.append(address, zone: zone)
  }
}

extension AddressCounts {
  /// Counts a block of occurrences, and returns a bit for each that caused a new question.
  mutating func count(_ found: FoundAddresses, _ block: Range<Int>) -> UInt64 {
    var entries = InlineArray<64, UInt32>(repeating: 0)
    return count(found, block, noting: &entries)
  }

  /// Counts a block of occurrences and notes the entry of each; returns a bit for each that caused a
  /// new question.
  mutating func count(
    _ found: FoundAddresses,
    _ block: Range<Int>,
    noting entries: inout InlineArray<64, UInt32>
  ) -> UInt64 {
    guard !found.zones.isEmpty else {
      return count(found.addresses.span.extracting(block), noting: &entries)
    }
    var new: UInt64 = 0
    for index in block {
      let place = index - block.lowerBound
      let isNew: Bool
      if let zone = found.zones[index] {
        let counted = count(found.addresses[index], zone: zone)
        (entries[place], isNew) = (UInt32(truncatingIfNeeded: counted.entry), counted.isNew)
      } else {
        var one = InlineArray<64, UInt32>(repeating: 0)
        isNew = count(found.addresses.span.extracting(index..<index + 1), noting: &one) != 0
        entries[place] = one[0]
      }
      if isNew { new |= 1 << UInt64(place) }
    }
    return new
  }
}
