package import SondeAddresses
package import SondeInputs
package import SondeRecords

/// The results of a log's slice.
package struct LogFindings: Sendable {
  let found: FoundAddresses
  /// Their lines, if requested.
  let lines: SliceLines
  let sightings: SliceSightings
  let input: UInt32

  init(_ slice: LogSlice, wantsOffsets: Bool, _ sightings: Sightings?) {
    found = FoundAddresses(slice)
    lines = slice.lines(wantsOffsets: wantsOffsets)
    self.sightings = sightings.map { SliceSightings(slice, $0) } ?? SliceSightings()
    input = UInt32(truncatingIfNeeded: slice.input)
  }

  package init(_ found: FoundAddresses, input: UInt32) {
    self.init(found, input: input, SliceLines(), SliceSightings())
  }

  private init(
    _ found: FoundAddresses,
    input: UInt32,
    _ lines: SliceLines,
    _ sightings: SliceSightings
  ) {
    (self.found, self.input, self.lines, self.sightings) = (found, input, lines, sightings)
  }

  /// The same with what the lines of addresses claim.
  fileprivate func claiming(_ claims: [Address: CrawlerClaims]) -> LogFindings {
    let claims = found.addresses.map { claims[$0] ?? [] }
    return LogFindings(found, input: input, lines, SliceSightings(claims: claims))
  }
}

/// The numbered entries in a log's results, from which records are created later.
package struct LogRun: Sendable {
  private var findings: LogFindings
  /// The number of line ends before the slice.
  private let line: UInt64
  /// The start of the line that contains the slice's start; `nil` if not requested.
  private let begin: UInt64?
  /// For each block of addresses a bit for each entry.
  private let masks: [UInt64]
  /// For each block the number of addresses that a condition excludes; empty if none is.
  private let excluded: [Int]
  /// The places of all entries, if each occurrence was judged; the first one's number is `origin`.
  private let places: [Place]
  private let origin: UInt64
  private var blocks: Range<Int>
  private var first: UInt64

  package init(
    _ findings: LogFindings,
    line: UInt64 = 0,
    begin: UInt64? = nil,
    masks: [UInt64],
    excluded: [Int] = [],
    places: [Place] = [],
    first: UInt64
  ) {
    (self.findings, self.line, self.begin) = (findings, line, begin)
    (self.masks, self.first, origin) = (masks, first, first)
    (self.excluded, self.places) = (excluded, places)
    blocks = masks.indices
  }

  /// Creates a run with an entry for each of some addresses, numbered from 0, in some periods.
  package init(
    asking addresses: [(address: Address, zone: [UInt8]?)],
    in periods: [BuildPeriod] = []
  ) {
    var found = FoundAddresses()
    for (address, zone) in addresses { found.append(address, zone: zone) }
    let places = periods.map { period in
      var place = Place()
      place.period = period
      return place
    }
    let masks = (0..<found.blockCount).map { block in
      UInt64.max >> UInt64(DistinctSet.blockSize - found.block(block).count)
    }
    self.init(LogFindings(found, input: 0), masks: masks, places: places, first: 0)
  }

  /// The same run, in which the lines of some addresses claim something.
  package consuming func claiming(_ claims: [Address: CrawlerClaims]) -> LogRun {
    if !claims.isEmpty { findings = findings.claiming(claims) }
    return self
  }

  package var isEmpty: Bool { blocks.isEmpty }

  /// The number of entries.
  fileprivate var entryCount: UInt64 {
    masks.reduce(0) { $0 + UInt64($1.nonzeroBitCount) }
  }

  /// The number of entries, including duplicates.
  package var count: Int {
    blocks.reduce(0) { $0 + findings.found.block($1).count }
  }

  /// Removes and returns the first entries, as many as there may be among `limit` addresses.
  package mutating func removeFirst(_ limit: Int) -> LogRun {
    var run = self
    let count = max(1, limit / DistinctSet.blockSize)
    run.blocks = blocks.prefix(count)
    blocks = blocks.dropFirst(count)
    first += run.blocks.reduce(0) { $0 + UInt64(masks[$1].nonzeroBitCount) }
    return run
  }

  /// Creates the records, in any task.
  package func entries() -> EntryBlock {
    var entries = EntryBlock()
    entries.first = first
    let found = findings.found
    let count = blocks.reduce(0) { $0 + masks[$1].nonzeroBitCount }
    entries.block.records.reserveCapacity(count)
    for block in blocks {
      for index in found.indices(of: block, masks[block]) {
        let number = first + UInt64(entries.block.records.count)
        let place = places.isEmpty ? place(of: index) : places[Int(number - origin)]
        if let zone = found.zones[index] {
          entries.append(found.addresses[index], zone: zone.span, at: place)
        } else {
          entries.append(found.addresses[index], at: place)
        }
      }
      entries.duplicates += found.block(block).count
      if !excluded.isEmpty { entries.excluded += excluded[block] }
    }
    entries.duplicates -= count + entries.excluded
    return entries
  }

  fileprivate func place(of index: Int) -> Place {
    let lines = findings.lines
    var place = Place(input: findings.input)
    if !lines.numbers.isEmpty { place.line = line + UInt64(lines.numbers[index]) + 1 }
    if !lines.begins.isEmpty { place.offset = lines.begins[index] ?? begin }
    place.claims = findings.sightings.claims(of: index)
    return place
  }
}

/// Decides which of the addresses in logs are entries, so that each is counted once.
struct LogEntries: Sendable {
  private let keepsDuplicates: Bool
  private let sightings: Sightings?
  private var seen = DistinctSet()
  private var input: UInt32?
  /// The number of line ends in the input so far.
  private var line: UInt64 = 0
  /// The start of the line in which the last slice ended.
  private var begin: UInt64?
  /// The time that holds in a line without one before which no line of its slice has one.
  private var moment: Int64?
  private var count: UInt64 = 0

  init(rules: EntryRules) {
    (keepsDuplicates, sightings) = (rules.keepsDuplicates, rules.sightings)
  }

  /// Selects the entries in the results of the next slice.
  mutating func pick(_ findings: LogFindings) -> LogRun {
    let lines = findings.lines
    if input != findings.input {
      (input, line, begin, moment) = (findings.input, 0, lines.begin, nil)
    }
    let run = sightings.map { entries(of: findings, judgedBy: $0) } ?? distinct(findings)
    line += UInt64(lines.ends)
    begin = lines.lastBegin ?? begin
    moment = findings.sightings.lastMoment ?? moment
    count += run.entryCount
    return run
  }

  /// The entries of the addresses that are new.
  private mutating func distinct(_ findings: LogFindings) -> LogRun {
    var masks: [UInt64] = []
    masks.reserveCapacity(findings.found.blockCount)
    for block in 0..<findings.found.blockCount {
      let range = findings.found.block(block)
      let new = keepsDuplicates ? .max : seen.insert(findings.found, range)
      masks.append(new & .max >> UInt64(DistinctSet.blockSize - range.count))
    }
    return run(findings, masks)
  }

  private func entries(of findings: LogFindings, judgedBy sightings: Sightings) -> LogRun {
    let isPlain = findings.found.zones.isEmpty && findings.sightings.isOfText
    guard sightings.rules.onlyCounts, isPlain else { return judged(findings, by: sightings) }
    return counted(findings, by: sightings)
  }

  /// The entries of new addresses, where all occurrences are only counted.
  private func counted(_ findings: LogFindings, by sightings: Sightings) -> LogRun {
    let (found, times) = (findings.found, findings.sightings.times)
    let positions = LogRun(findings, line: line, begin: begin, masks: [], first: 0)
    let (masks, places) = sightings.note { book in
      var (masks, places): ([UInt64], [Place]) = ([], [])
      masks.reserveCapacity(found.blockCount)
      for block in 0..<found.blockCount {
        let range = found.block(block)
        var subject = book.nextSubject
        let new = book.count(
          found.addresses.span.extracting(range),
          at: times.isEmpty ? times.span : times.span.extracting(range)
        )
        masks.append(new)
        for index in found.indices(of: block, new) {
          var place = positions.place(of: index)
          (place.time, place.subject) = (findings.sightings.time(of: index), subject)
          place.period = period(of: index, in: findings, sightings)
          subject += 1
          places.append(place)
        }
      }
      return (masks, places)
    }
    return run(findings, masks, places: places)
  }

  /// The period of the time that holds in the line of an address.
  private func period(
    of index: Int,
    in findings: LogFindings,
    _ sightings: Sightings
  ) -> BuildPeriod {
    guard let periods = sightings.rules.periods else { return .undated }
    return periods.period(of: findings.sightings.moment(of: index) ?? moment)
  }

  private func run(
    _ findings: LogFindings,
    _ masks: [UInt64],
    excluded: [Int] = [],
    places: [Place] = []
  ) -> LogRun {
    LogRun(
      findings,
      line: line,
      begin: begin,
      masks: masks,
      excluded: excluded,
      places: places,
      first: count
    )
  }

  /// The entries of the occurrences that are judged to be some.
  private func judged(_ findings: LogFindings, by sightings: Sightings) -> LogRun {
    let found = findings.found
    let positions = LogRun(findings, line: line, begin: begin, masks: [], first: 0)
    var masks = [UInt64](repeating: 0, count: found.blockCount)
    var excluded = [Int](repeating: 0, count: found.blockCount)
    let answers = sightings.rules.answers?(
      found.addresses.indices.map {
        SubjectKey(found.addresses[$0], in: period(of: $0, in: findings, sightings))
      }
    )
    let places = sightings.note { book in
      var places: [Place] = []
      for index in found.addresses.indices {
        let (block, bit) = index.quotientAndRemainder(dividingBy: DistinctSet.blockSize)
        var place = positions.place(of: index)
        place.time = findings.sightings.time(of: index)
        place.period = period(of: index, in: findings, sightings)
        let occurrence = SightingBook.Occurrence(
          found.addresses[index],
          zone: found.zones[index],
          text: findings.sightings.text(of: index),
          answer: answers?[index],
          packet: findings.sightings.length(of: index)
        )
        let fate = book.take(occurrence, at: &place) { findings.sightings.line(of: index) }
        switch fate {
        case .entry:
          masks[block] |= 1 << UInt64(bit)
          places.append(place)
        case .excluded: excluded[block] += 1
        case .duplicate: break
        }
      }
      return places
    }
    return run(findings, masks, excluded: excluded, places: places)
  }

  /// Removes known literals of the command line.
  mutating func pick(_ literals: EntryBlock) -> EntryBlock {
    var block = literals
    let all = literals.block
    // Judged before, where each occurrence is.
    if !keepsDuplicates, sightings == nil {
      block.block.records = all.records.filter { isNew($0, of: all) }
    }
    block.duplicates += all.records.count - block.block.records.count
    block.first = count
    count += UInt64(block.block.records.count)
    return block
  }

  private mutating func isNew(_ record: Record, of block: RecordBlock) -> Bool {
    guard let address = record.address else { return true }
    guard let zone = block.text(.item, of: record) else { return seen.insert(address) }
    return seen.insert(address, zone: Array(zone.utf8).span)
  }
}
