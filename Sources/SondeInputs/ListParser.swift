import SondeAddresses
package import SondeRecords
import SondeSystem

/// Parses lists into entries: lines, items, blocks and ranges, without duplicates.
public struct ListParser: InputParser {
  /// The length of the longest valid line in bytes.
  private static let longestLine = 64 << 10

  private let rules: EntryRules
  private var seen = DistinctSet()
  private var expansion: Expansion?
  private var networks: NetworkRows?
  /// The buffer for blocks of addresses.
  private var addresses: [Address] = []
  private var input: UInt32 = 0
  private var line: UInt64 = 0
  private var isInsideLine = false
  private var isAtStart = true
  private var expanded: UInt64 = 0
  private var times: LineTimeParser
  /// What is known of the current line, for all addresses in it.
  private var current = LineSighting()
  /// Lists are parsed to their end.
  package let isDone = false

  private struct Expansion {
    let range: AddressRange
    var next: UInt128
    let line: UInt64
  }

  /// The time and the text of a line, as far as they are needed.
  private struct LineSighting {
    var time: Int64?
    var text: FilterFindings?
    var kept: [UInt8]?
  }

  /// Creates a parser that has seen nothing.
  public init(rules: EntryRules) {
    self.rules = rules
    let keepsDuplicates = rules.keepsDuplicates
    networks = rules.division.map { NetworkRows($0, keepsDuplicates: keepsDuplicates) }
    let zone = rules.sightings?.rules.zone ?? .utc
    times = LineTimeParser(zone: zone)
  }

  /// The number of entries from blocks and ranges so far, and of those still to come.
  package var expansions: (given: UInt64, left: UInt64) {
    guard let expansion else { return (expanded, 0) }
    return (expanded, UInt64(clamping: expansion.range.lastOffset - expansion.next) + 1)
  }

  /// Whether no block or range is being expanded.
  private var isIdle: Bool { expansion == nil && networks?.isIdle ?? true }

  /// Starts an input, whose number its records get.
  public mutating func begin(input: UInt32) {
    (self.input, line, isInsideLine, isAtStart) = (input, 0, false, true)
  }

  /// Parses a literal of the command line, without comments; its records have no line.
  public mutating func parse(literal: Span<UInt8>, into entries: inout EntryBlock) {
    (line, current) = (0, LineSighting())
    add(ListItem.parse(operand: literal, refangs: rules.refangs), of: literal, into: &entries)
  }

  /// Adds the rest of a block or range that did not fit, up to `limit` records.
  ///
  /// - Returns: Whether it is complete.
  public mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool {
    guard networks?.resume(into: &entries, limit: limit) ?? true else { return false }
    guard var current = expansion else { return true }
    // Memory that is doubled again and again would be more than malloc keeps.
    entries.block.records.reserveCapacity(min(limit, 4096))
    while entries.block.records.count < limit {
      add(current.range[current.next], line: current.line, into: &entries)
      expanded += 1
      if current.next == current.range.lastOffset {
        expansion = nil
        return true
      }
      current.next += 1
    }
    expansion = current
    return false
  }

  /// Adds an address of a capture, which has no lines.
  package mutating func take(
    _ occurrence: SightingBook.Occurrence,
    at time: Int64,
    into entries: inout EntryBlock
  ) {
    guard let sightings = rules.sightings else {
      return add(occurrence.address, line: 0, into: &entries)
    }
    current = LineSighting(time: time)
    judge(occurrence, sightings, line: 0, into: &entries)
  }

  /// Parses lines until `entries` has `limit` records, possibly within a block or range.
  ///
  /// - Parameters:
  ///   - bytes: The unconsumed bytes and new ones.
  ///   - isLast: Whether the input ends with `bytes`.
  ///   - entries: Receives the entries.
  ///   - limit: The number of records at which to stop.
  /// - Returns: The number of bytes consumed; the rest must be passed again.
  public mutating func parse(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int {
    guard resume(into: &entries, limit: limit) else { return 0 }
    var start = 0
    // The shortest line is `::` and its end.
    entries.block.records.reserveCapacity(min(limit, bytes.count / 8 + 1))
    while start < bytes.count, entries.block.records.count < limit, isIdle {
      if takePlainLines(bytes, from: &start, into: &entries, limit: limit) { continue }
      if let end = bytes.firstNewline(from: start) {
        take(line: bytes.extracting(start..<end), into: &entries)
        isInsideLine = false
        start = end + 1
      } else if isLast || isInsideLine || bytes.count - start > Self.longestLine {
        take(line: bytes.extracting(start..<bytes.count), into: &entries)
        isInsideLine = true
        start = bytes.count
      } else {
        break
      }
      _ = resume(into: &entries, limit: limit)
    }
    return start
  }

  /// Parses a block of lines that consist of an address; returns whether there was one.
  private mutating func takePlainLines(
    _ bytes: Span<UInt8>,
    from start: inout Int,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Bool {
    guard !isInsideLine, !isAtStart, rules.sightings == nil, networks == nil else { return false }
    var addresses: [Address] = []
    swap(&addresses, &self.addresses)
    defer { swap(&addresses, &self.addresses) }
    addresses.removeAll(keepingCapacity: true)
    let room = min(limit - entries.block.records.count, DistinctSet.blockSize)
    start = ListItem.parsePlainLines(bytes, from: start, into: &addresses, limit: room)
    let new = rules.keepsDuplicates ? .max : seen.insert(addresses.span)
    for index in addresses.indices {
      line += 1
      if new >> UInt64(index) & 1 != 0 {
        entries.append(addresses[index], at: Place(line: line, input: input))
      } else {
        entries.duplicates += 1
      }
    }
    return !addresses.isEmpty
  }

  /// Parses a line; only the first slice of one that is too long is examined.
  private mutating func take(line text: Span<UInt8>, into entries: inout EntryBlock) {
    guard !isInsideLine else { return }
    line += 1
    let start = isAtStart && text.startsWithByteOrderMark ? 3 : 0
    isAtStart = false
    if text.count > Self.longestLine {
      let text = text.extracting(start..<Self.longestLine)
      current = rules.sightings.map { sighting(of: text, $0) } ?? LineSighting()
      add(ItemFault(ofLine: text, longerThan: Self.longestLine), of: text, into: &entries)
    } else {
      let text = text.extracting(start..<text.count)
      if let sightings = rules.sightings { current = sighting(of: text, sightings) }
      add(ListItem.parse(line: text, refangs: rules.refangs), of: text, into: &entries)
    }
  }

  private mutating func add(
    _ item: ListItem,
    of text: Span<UInt8>,
    into entries: inout EntryBlock
  ) {
    let place = Place(line: line, input: input)
    if networks?.begin(item, text, at: place) ?? false { return }
    switch item {
    case .nothing: return
    case .address(let address, let zone):
      if let zone {
        let zone = text.zone(zone, refangs: rules.refangs)
        add(address, zone: zone.span, line: line, into: &entries)
      } else {
        add(address, line: line, into: &entries)
      }
    case .range(let range):
      if !range.exceeds(rules.maximumExpansion) {
        expansion = Expansion(range: range, next: 0, line: line)
      } else {
        let limit = rules.maximumExpansion
        add(ItemFault(expanding: range, limit: limit, line: text), of: text, into: &entries)
      }
    case .invalid(let fault): add(fault, of: text, into: &entries)
    }
  }

  private func add(_ fault: ItemFault, of text: Span<UInt8>, into entries: inout EntryBlock) {
    let item = text.extracting(fault.item)
    var record = Record(address: nil, status: .invalid)
    record.place = Place(line: line, input: input, time: current.time)
    // An item that is no address may give one away.
    if let sightings = rules.sightings, !sightings.isAnonymous, let kept = current.kept {
      record.place.text = sightings.note { $0.keep(kept) }
    }
    record[.item] = entries.block.append(text: item.repaired(maximum: 256))
    record[.message] = entries.block.append(text: fault.message)
    entries.block.records.append(record)
  }
}

// MARK: - Entries

extension ListParser {
  private mutating func add(
    _ address: Address,
    zone: Span<UInt8>? = nil,
    line: UInt64,
    into entries: inout EntryBlock
  ) {
    if let sightings = rules.sightings {
      var bytes: [UInt8]?
      if let zone { bytes = zone.indices.map { zone[$0] } }
      let occurrence = SightingBook.Occurrence(address, zone: bytes, text: current.text)
      return judge(occurrence, sightings, line: line, into: &entries)
    }
    let isNew = rules.keepsDuplicates || isNew(address, zone: zone)
    guard isNew else { return entries.duplicates += 1 }
    entries.append(address, zone: zone, at: Place(line: line, input: input))
    if networks != nil { entries.name(AddressRange(block: address, length: 128)) }
  }

  private mutating func isNew(_ address: Address, zone: Span<UInt8>?) -> Bool {
    if let zone { return seen.insert(address, zone: zone) }
    return seen.insert(address)
  }

  // MARK: - Occurrences

  /// What is needed of a line, which may end in a return.
  private mutating func sighting(of line: Span<UInt8>, _ sightings: Sightings) -> LineSighting {
    let end = line.count > 0 && line[line.count - 1] == 0x0d ? line.count - 1 : line.count
    let text = line.extracting(0..<end)
    var sighting = LineSighting()
    if sightings.rules.findsTimes { sighting.time = times.time(in: text, from: 0) }
    if sightings.rules.readsTexts { sighting.text = sightings.rules.filter?.findings(ofText: text) }
    if sightings.rules.keepsTexts { sighting.kept = sightings.kept(text) }
    return sighting
  }

  private func judge(
    _ occurrence: SightingBook.Occurrence,
    _ sightings: Sightings,
    line: UInt64,
    into entries: inout EntryBlock
  ) {
    var place = Place(line: line, input: input, time: current.time)
    let kept = current.kept
    let (fate, settled) = sightings.note { book in
      (book.take(occurrence, at: &place, line: { kept }), place)
    }
    switch fate {
    case .entry: entries.append(occurrence.address, zone: occurrence.zone?.span, at: settled)
    case .duplicate: entries.duplicates += 1
    case .excluded: entries.excluded += 1
    }
  }
}
