import SondeAddresses
import SondeCatalog
import SondeInputs
import SondeRecords
import SondeSystem
import SondeTables

/// Parses the text of a table as it is read, row by row; its first row shows its form.
struct TableParser {
  private enum Form {
    case unknown
    /// One address, block or range per line.
    case list
    /// Delimited rows.
    case rows
    /// One JSON value, parsed as a whole, or an object per line.
    case objects(isPerLine: Bool)
  }

  private let path: String
  private let choice: TableChoice
  /// Whether it has known columns, or none, and no header.
  private let isPublished: Bool
  /// Whether invalid lines are counted and skipped, as in what was fetched; in a user's file they
  /// are errors.
  private let skipsFaults: Bool
  /// The columns of JSON, and of lists; `nil` for all.
  private let columns: [ListColumn]?
  /// Networks to subtract from a list without values.
  private let excluded: NetworkTable?
  private var form = Form.unknown
  private var rows = TableRows()
  private var json: TableJSON?
  /// The rows of a form other than JSON.
  private var assembly: TableAssembly?
  /// The current line, from 1.
  private var line = 1
  private var isAtBegin = true

  /// The number of skipped invalid lines.
  private(set) var odd = 0
  /// Whether its rows are autonomous systems, by number, instead of networks.
  private(set) var areSystems = false
  private var builder: NetworkTable.Builder? { json?.rows.builder ?? assembly?.builder }
  /// The number of distinct rows so far.
  var distinctCount: Int { builder?.distinctCount ?? 0 }
  /// Whether a published list has any of the values that belong to it, or none if none do.
  var hasExpectedValues: Bool {
    let names = json?.names ?? Set(rows.layout?.values.map(\.name) ?? [])
    let expected = columns?.isEmpty == false ? columns ?? [] : PublishedList.cloudColumns
    let hasAny = expected.contains { !names.isDisjoint(with: $0.members) }
    return hasAny == (columns?.isEmpty == false)
  }

  /// Creates a parser of a user's table that has read nothing; its JSON may have known columns.
  init(
    path: String,
    _ choice: TableChoice = TableChoice(),
    columns: [ListColumn]? = nil,
    skippingFaults skipsFaults: Bool = false
  ) {
    (self.path, self.choice, isPublished, excluded) = (path, choice, false, nil)
    self.skipsFaults = skipsFaults
    self.columns = columns ?? choice.columns?.map { ListColumn(name: $0, members: [$0]) }
  }

  /// Creates a parser of a published list with these columns, without some networks.
  init(published columns: [ListColumn], named name: String, without excluded: NetworkTable? = nil) {
    (path, choice, isPublished, self.excluded) = (name, TableChoice(), true, excluded)
    (self.columns, skipsFaults) = (columns, true)
  }

  /// Reads another text as a whole, and adds its networks.
  mutating func readAll(_ text: Span<UInt8>) throws(TableFileError) {
    (form, rows, line, isAtBegin) = (.unknown, TableRows(), 1, true)
    _ = try read(text, isLast: true)
  }

  /// Reads complete rows, or all of the last text, and returns the number of bytes read.
  mutating func read(_ text: Span<UInt8>, isLast: Bool) throws(TableFileError) -> Int {
    var position = 0
    if isAtBegin {
      guard text.count >= Self.beginning || isLast else { return 0 }
      try checkText(text.extracting(first: Self.beginning))
      if text.startsWithByteOrderMark { position = 3 }
      isAtBegin = false
    }
    while position < text.count {
      guard let next = try step(text, from: position, isLast: isLast) else { break }
      position = next
    }
    return position
  }

  /// The number of leading bytes by which a table is recognised.
  private static let beginning = 512

  /// Rejects a NUL in the first word, as in databases.
  private func checkText(_ beginning: Span<UInt8>) throws(TableFileError) {
    let ends = Array("\t\n,; ".utf8)
    let first = beginning.indices.first { beginning[$0] == 0 || ends.contains(beginning[$0]) }
    guard !isPublished, let first, beginning[first] == 0 else { return }
    let reason = """
      is neither a table of text (CSV, TSV, a list or JSON) nor an MMDB (a libloc database is named by \
      --database)
      """
    throw TableFileError(path: path, line: nil, reason: reason)
  }

  /// Reads the next row; `nil` if it is incomplete.
  private mutating func step(
    _ text: Span<UInt8>,
    from start: Int,
    isLast: Bool
  ) throws(TableFileError) -> Int? {
    if case .objects(isPerLine: false) = form {
      return isLast ? try readJSON(text, from: start) : nil
    }
    let newline = text.firstNewline(from: start)
    guard newline != nil || isLast else { return nil }
    let end = newline ?? text.count
    let behind = newline.map { $0 + 1 } ?? text.count
    let content = ListItem.itemRange(in: text.extracting(start..<end))
    if content.isEmpty || text[start + content.lowerBound] == UInt8(ascii: ";") {
      line += 1
      return behind
    }
    switch form {
    case .unknown:
      recognize(text.extracting(start..<end), first: content.lowerBound)
      return start
    case .list:
      try readItem(text.extracting(start..<end))
      line += 1
      return behind
    case .rows:
      switch rows.row.read(text, from: start, isLast: isLast) {
      case .more: return nil
      case .unclosed: throw error("the quotes are not closed")
      case .whole: break
      }
      guard try readRow(text) else { return start }
      line += text.countNewlines(start..<rows.row.end)
      return rows.row.end
    case .objects:
      let first = start + content.lowerBound
      guard text[first] == UInt8(ascii: "{") else { throw error("is no JSON object") }
      let last = try readValue(text.extracting(..<end), from: first)
      guard last == end else { throw error("something follows the JSON object") }
      line += 1
      return behind
    }
  }

  /// Recognises the form by the first significant line.
  private mutating func recognize(_ text: Span<UInt8>, first: Int) {
    switch text[first] {
    case UInt8(ascii: "{"):
      var row = JSONRow()
      let isWhole = row.read(text, from: first) == .whole
      form = .objects(isPerLine: isWhole && text.behindJSONSpace(from: row.end) == text.count)
    case UInt8(ascii: "["): form = .objects(isPerLine: false)
    default:
      // Published lists have no header, but may have invalid lines.
      let isList = isPublished ? listColumns.isEmpty : Self.item(text) != nil
      form = isList ? .list : .rows
      rows = TableRows(first: text, choice)
    }
  }

  // MARK: - Lists

  /// The address, block or range of a line, before a comment; `nil` if there is none.
  private static func item(_ line: Span<UInt8>) -> ListItem? {
    let end = line.indices.first { line[$0] == UInt8(ascii: ";") } ?? line.count
    let item = ListItem.parse(line: line.extracting(..<end))
    switch item {
    case .address, .range: return item
    case .nothing, .invalid: return nil
    }
  }

  private mutating func readItem(_ text: Span<UInt8>) throws(TableFileError) {
    do throws(TableFileError) {
      try end([try range(Self.item(text) ?? ListItem.parse(line: text))])
    } catch {
      try countOdd(error)
    }
  }

  private mutating func countOdd(_ error: TableFileError) throws(TableFileError) {
    guard skipsFaults else { throw error }
    odd += 1
  }

  /// Ends a row; in a list in which only some networks have values, this one has none.
  private mutating func end(_ ranges: [AddressRange]) throws(TableFileError) {
    var rows = takeAssembly()
    do throws(TableAssembly.Overflow) {
      for _ in rows.builder.columns { try rows.append(Span()) }
    } catch {
      throw tooLarge
    }
    rows.end(ranges)
    assembly = rows
  }

  /// Takes the rows out for an addition.
  private mutating func takeAssembly() -> TableAssembly {
    defer { assembly = nil }
    return assembly ?? TableAssembly(columns: listColumns, without: excluded)
  }

  /// The columns of a list, in which only those of a published one have values.
  private var listColumns: [String] { isPublished ? columns?.map(\.name) ?? [] : [] }

  private var tooLarge: TableFileError {
    error("the values are too many: they take more than 4 GiB")
  }

  private func range(_ item: ListItem) throws(TableFileError) -> AddressRange {
    switch item {
    case .address(let address, _): AddressRange(alone: address)
    case .range(let range): range
    case .invalid(let fault): throw error(fault.message)
    case .nothing: throw error("has no network")
    }
  }

  // MARK: - Rows

  /// Reads the current row; returns whether it was read, or was the first and has to be read again.
  private mutating func readRow(_ text: Span<UInt8>) throws(TableFileError) -> Bool {
    do throws(CellLayout.Problem) {
      guard let layout = rows.layout else { return try readLayout(text).hasHeader }
      let count = rows.row.fields.count
      guard layout.counts.contains(count) else {
        let cells = count == 1 ? "cell" : "cells"
        let first = layout.hasHeader ? "the header" : "the first row"
        let reason = "has \(count) \(cells), and \(first) \(layout.counts.upperBound)"
        throw CellLayout.Problem(reason: reason)
      }
      let (ranges, areNumbers) = try rows.ranges(of: layout.key, in: text)
      try append(layout, of: text, withDashes: areNumbers)
      assembly?.end(ranges)
    } catch {
      try countOdd(self.error(error.reason))
    }
    return true
  }

  private mutating func readLayout(_ text: Span<UInt8>) throws(CellLayout.Problem) -> CellLayout {
    let layout = try rows.readLayout(text)
    if case .system = layout.key { areSystems = true }
    let names = isPublished ? listColumns : layout.values.map(\.name)
    assembly = assembly ?? TableAssembly(columns: names, without: excluded)
    return layout
  }

  /// Adds the values of the current row; `-` is none if the ends of its range are numbers.
  private mutating func append(
    _ layout: CellLayout,
    of text: Span<UInt8>,
    withDashes: Bool
  ) throws(CellLayout.Problem) {
    var rows = takeAssembly()
    for index in rows.builder.columns.indices {
      // A published list has the columns that it should have, whatever is in it.
      let cell =
        isPublished
        ? layout.values.first { $0.name == rows.builder.columns[index] }?.cell ?? .max
        : layout.values[index].cell
      let fits =
        cell >= self.rows.row.fields.count
        ? rows.appends(Span())
        : self.rows.withValue(cell, in: text) { value in
          let isDash = withDashes && value.count == 1 && value[0] == UInt8(ascii: "-")
          return isDash ? rows.appends(Span()) : rows.appends(value)
        }
      guard fits else { throw CellLayout.Problem(reason: tooLarge.reason) }
    }
    assembly = rows
  }

  // MARK: - JSON

  private mutating func readJSON(_ text: Span<UInt8>, from start: Int) throws(TableFileError) -> Int
  {
    let first = text.behindJSONSpace(from: start)
    let end = try readValue(text, from: first)
    guard end == text.count else {
      line += text.countNewlines(first..<end)
      throw error("something follows the JSON value")
    }
    return text.count
  }

  /// Reads a value; returns the position of what follows it.
  private mutating func readValue(
    _ text: Span<UInt8>,
    from start: Int
  ) throws(TableFileError) -> Int {
    var json = self.json ?? TableJSON(key: choice.key, columns: columns, without: excluded)
    self.json = nil
    defer { self.json = json }
    let end: Int?
    do throws(TableAssembly.Overflow) {
      end = try json.read(text, from: start)
    } catch {
      throw tooLarge
    }
    guard let end else { throw error("is no valid JSON") }
    for fault in json.faults {
      let place = line + text.countNewlines(start..<fault.place)
      try countOdd(TableFileError(path: path, line: place, reason: fault.reason))
    }
    return text.behindJSONSpace(from: end)
  }

  /// The largest size of an incomplete row.
  var longestText: Int {
    if case .objects = form { TableFile.longestJSON } else { TableFile.longestRow }
  }

  /// Creates an error about the current line.
  func error(_ reason: String) -> TableFileError {
    TableFileError(path: path, line: line, reason: reason)
  }

  /// The table, once all is read; throws if a chosen column is in none of its rows.
  consuming func table() throws(TableFileError) -> NetworkTable {
    if let json, !isPublished {
      if json.rows.builder.count == 0 {
        throw TableFileError(path: path, line: nil, reason: "is JSON without a network")
      }
      if let column = choice.columns?.first(where: { !json.names.contains($0) }) {
        let names = json.names.sorted().prefix(20).map { "'\(escapedForPerson($0))'" }
        let reason = """
          has no column '\(escapedForPerson(column))'; its columns are \(names.joined(separator: ", "))
          """
        throw TableFileError(path: path, line: nil, reason: reason)
      }
      if columns == nil || choice.columns != nil, let reason = json.flaw(ofColumns: choice.columns)
      {
        throw TableFileError(path: path, line: nil, reason: reason)
      }
    }
    return (builder ?? NetworkTable.Builder(columns: listColumns)).table()
  }
}
