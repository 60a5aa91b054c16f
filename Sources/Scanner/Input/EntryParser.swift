import Addresses
public import Records

/// How addresses stand in an input.
public enum InputMode: Sendable {
  /// One item a line.
  case list
  /// Anywhere in the text.
  case log
}

/// Entries in the order of their input, as the records they will be if nobody is asked.
///
/// ``Status/ok`` marks an address that a provider is to be asked for.
public struct EntryBlock: Sendable {
  /// The records; their texts are filled in for reserved and invalid ones.
  public var block = RecordBlock()

  /// The number of the first record among all that the reader delivers.
  public var first: UInt64 = 0

  /// Entries that were answered before, by an earlier record.
  public var duplicates = 0

  /// The rows that the records come from, one each, where the input is the output of an earlier run.
  var rows: RowBlock?

  /// What is wrong with the input itself.
  var faults: [InputFailure] = []

  /// Makes an empty block.
  public init() {}

  /// The row that a record comes from.
  func row(_ index: Int) -> Row? { rows.map { Row(block: $0, place: $0.places[index]) } }

  /// Whether there is nothing to tell.
  var isEmpty: Bool { block.records.isEmpty && duplicates == 0 && faults.isEmpty }
}

/// Turns the bytes of inputs into entries.
///
/// Pure, and fed in pieces: what it does not consume is given again, with more behind it.
protocol InputParser: Sendable {
  /// Whether what is left of the input, if anything, is none of its business.
  var isDone: Bool { get }

  /// Turns to the first byte of an input, whose number its records carry.
  mutating func begin(input: UInt32)

  /// Takes a literal of the command line.
  mutating func parse(literal: Span<UInt8>, into entries: inout EntryBlock)

  /// Adds the rest of what did not fit, up to `limit` records; whether all of it is out.
  mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool

  /// Parses what comes next, up to `limit` records; the bytes consumed.
  mutating func parse(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int
}

/// Turns lists and logs into entries: lines, items, blocks and ranges, each address once.
public struct EntryParser: InputParser {
  /// What the parser does with its inputs.
  public struct Rules: Sendable {
    /// How addresses stand in the inputs.
    public var mode = InputMode.list
    /// Whether every occurrence of an address is an entry of its own.
    public var keepsDuplicates = false
    /// The largest block or range that is expanded, in addresses.
    public var maximumExpansion: UInt64 = 65_536

    /// Makes the default rules.
    public init() {}
  }

  /// A line is looked at as far as this; an item and its comment are shorter in earnest.
  private static let longestLine = 64 << 10
  /// The length from which on a line of a log is searched in pieces.
  private static let longestLogLine = 1 << 20

  private let rules: Rules
  private var seen = SeenEntries()
  private var expansion: Expansion?
  private var matches: [LogMatch] = []
  /// The room that blocks of addresses are read into.
  private var addresses: [Address] = []
  private var input: UInt32 = 0
  private var line: UInt64 = 0
  private var isInsideLine = false
  private var isAtStart = true
  /// Bytes of a log that are given again although they were searched, for what they say of others.
  private var searched = 0
  /// Lists and logs are parsed to their end.
  let isDone = false

  /// A block or range on its way out.
  private struct Expansion {
    let range: AddressRange
    var next: UInt128
    let line: UInt64
  }

  /// Makes a parser that has seen nothing.
  public init(rules: Rules) { self.rules = rules }

  /// Turns to the first byte of an input, whose number its records carry.
  public mutating func begin(input: UInt32) {
    self.input = input
    line = 0
    isInsideLine = false
    isAtStart = true
    searched = 0
  }

  /// Takes a literal of the command line, in which `#` begins no comment; its records have no line.
  public mutating func parse(literal: Span<UInt8>, into entries: inout EntryBlock) {
    line = 0
    add(ListItem.parse(operand: literal), of: literal, into: &entries)
  }

  /// Adds the rest of a block or range that did not fit, up to `limit` records.
  ///
  /// - Returns: Whether all of it is out.
  public mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool {
    guard var current = expansion else { return true }
    while entries.block.records.count < limit {
      add(current.range[current.next], line: current.line, into: &entries)
      if current.next == current.range.lastOffset {
        expansion = nil
        return true
      }
      current.next += 1
    }
    expansion = current
    return false
  }

  /// Parses lines until `entries` holds `limit` records or a block or range is cut short by that.
  ///
  /// - Parameters:
  ///   - bytes: What was not consumed before, and what has been read since.
  ///   - isLast: Whether the input ends behind `bytes`.
  ///   - entries: Where the entries are added.
  ///   - limit: The records after which a list stops; a log is taken in whole pieces.
  /// - Returns: The bytes consumed; the rest is to be given again.
  public mutating func parse(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int {
    guard resume(into: &entries, limit: limit) else { return 0 }
    switch rules.mode {
    case .list: return parseList(bytes, isLast: isLast, into: &entries, limit: limit)
    case .log: return parseLog(bytes, isLast: isLast, into: &entries)
    }
  }
}

// MARK: - List mode

extension EntryParser {
  private mutating func parseList(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int {
    var start = 0
    // The shortest line is `::` and its end.
    entries.block.records.reserveCapacity(min(limit, bytes.count / 8 + 1))
    while start < bytes.count, entries.block.records.count < limit, expansion == nil {
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

  /// Takes lines that are nothing but an address, a block of them at once.
  ///
  /// - Returns: Whether there was one.
  private mutating func takePlainLines(
    _ bytes: Span<UInt8>,
    from start: inout Int,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Bool {
    guard !isInsideLine, !isAtStart else { return false }
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
        append(Record(address: addresses[index], status: .ok), line: line, to: &entries)
      } else {
        entries.duplicates += 1
      }
    }
    return !addresses.isEmpty
  }

  /// Takes a line, or a piece of one that is too long; only the first piece is looked at.
  private mutating func take(line text: Span<UInt8>, into entries: inout EntryBlock) {
    guard !isInsideLine else { return }
    line += 1
    let start = isAtStart && text.startsWithByteOrderMark ? 3 : 0
    isAtStart = false
    let text = text.extracting(start..<min(text.count, Self.longestLine))
    add(ListItem.parse(line: text), of: text, into: &entries)
  }

  private mutating func add(
    _ item: ListItem,
    of text: Span<UInt8>,
    into entries: inout EntryBlock
  ) {
    switch item {
    case .nothing: return
    case .address(let address, let zone):
      if let zone {
        add(address, zone: text.extracting(zone), line: line, into: &entries)
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
    record.line = line
    record.input = input
    record[.item] = entries.block.append(text: item.repaired(maximum: 256))
    record[.message] = entries.block.append(text: fault.message)
    entries.block.records.append(record)
  }
}

// MARK: - Log mode

extension EntryParser {
  private mutating func parseLog(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock
  ) -> Int {
    guard let cut = cut(bytes, isLast: isLast) else { return 0 }
    // Nothing but what was searched before, or, behind a failure, not even all of that.
    guard cut.offset > searched else { return isLast ? bytes.count : 0 }
    matches.removeAll(keepingCapacity: true)
    searchLog(bytes, from: searched, to: cut, into: &matches)
    if rules.keepsDuplicates { entries.block.records.reserveCapacity(matches.count) }
    var counted = searched
    var start = 0
    while start < matches.count {
      let block = start..<min(start + DistinctSet.blockSize, matches.count)
      addNew(block, of: bytes, counted: &counted, into: &entries)
      start = block.upperBound
    }
    line += UInt64(bytes.countNewlines(counted..<cut.offset))
    let consumed = cut.isClean ? cut.offset : max(0, cut.offset - LogCut.reach)
    searched = cut.offset - consumed
    return consumed
  }

  /// Adds those of some matches that are not known, with their lines.
  private mutating func addNew(
    _ block: Range<Int>,
    of text: Span<UInt8>,
    counted: inout Int,
    into entries: inout EntryBlock
  ) {
    var new = rules.keepsDuplicates ? .max : insert(block, of: text)
    new &= .max >> UInt64(DistinctSet.blockSize - block.count)
    entries.duplicates += block.count - new.nonzeroBitCount
    while new != 0 {
      let match = matches[block.lowerBound + new.trailingZeroBitCount]
      new &= new - 1
      line += UInt64(text.countNewlines(counted..<match.start))
      counted = match.start
      var record = Record(address: match.address, status: .ok)
      if let zone = match.zone {
        record[.item] = entries.block.append(text: text.extracting(zone))
      }
      append(record, line: line + 1, to: &entries)
    }
  }

  /// Remembers matches, with a bit for each that was not known.
  private mutating func insert(_ block: Range<Int>, of text: Span<UInt8>) -> UInt64 {
    var addresses: [Address] = []
    swap(&addresses, &self.addresses)
    defer { swap(&addresses, &self.addresses) }
    addresses.removeAll(keepingCapacity: true)
    for index in block where matches[index].zone == nil { addresses.append(matches[index].address) }
    if addresses.count == block.count { return seen.insert(addresses.span) }
    var new: UInt64 = 0
    for index in block {
      let match = matches[index]
      let isNew: Bool
      if let zone = match.zone {
        isNew = seen.insert(match.address, zone: text.extracting(zone))
      } else {
        isNew = seen.insert(match.address)
      }
      if isNew { new |= 1 << UInt64(index - block.lowerBound) }
    }
    return new
  }

  /// Where the last whole line ends; a line too long to wait for is cut.
  private func cut(_ bytes: Span<UInt8>, isLast: Bool) -> LogCut? {
    if isLast { return LogCut(offset: bytes.count, isClean: true) }
    if let newline = bytes.lastNewline, newline >= searched {
      return LogCut(offset: newline + 1, isClean: true)
    }
    return bytes.count < Self.longestLogLine ? nil : LogCut.last(in: bytes)
  }
}

// MARK: - Entries

extension EntryParser {
  private mutating func add(
    _ address: Address,
    line: UInt64,
    into entries: inout EntryBlock
  ) {
    if !rules.keepsDuplicates, !seen.insert(address) {
      entries.duplicates += 1
      return
    }
    append(Record(address: address, status: .ok), line: line, to: &entries)
  }

  /// Adds a link-local address with its zone, which tells it apart from the same one elsewhere.
  private mutating func add(
    _ address: Address,
    zone: Span<UInt8>,
    line: UInt64,
    into entries: inout EntryBlock
  ) {
    if !rules.keepsDuplicates, !seen.insert(address, zone: zone) {
      entries.duplicates += 1
      return
    }
    var record = Record(address: address, status: .ok)
    record[.item] = entries.block.append(text: zone)
    append(record, line: line, to: &entries)
  }

  private func append(_ record: Record, line: UInt64, to entries: inout EntryBlock) {
    var record = record
    record.line = line
    record.input = input
    if let address = record.address, let block = address.specialPurpose {
      record.status = .reserved
      record[.message] = entries.block.append(text: block.message)
    }
    entries.block.records.append(record)
  }
}
