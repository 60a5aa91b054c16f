import SondeAddresses
import SondeInputs
import SondeRecords
import SondeTables

/// Parses the text of a table as it is read, row by row.
struct TableParser {
  private enum Form {
    case unknown
    /// One address or block per line.
    case list
    /// Rows of values after a header.
    case rows
    /// One object, which is parsed as a whole.
    case object
  }

  private let path: String
  private let key: String?
  /// Whether invalid lines are counted and skipped.
  private let isPublished: Bool
  /// Networks to subtract from a table without values.
  private let excluded: NetworkTable?
  private var form = Form.unknown
  private var rows = TableRows()
  /// The current line, from 1.
  private var line = 1
  private var isAtBegin = true
  private var builder: NetworkTable.Builder?

  /// The number of skipped invalid lines.
  private(set) var odd = 0
  /// The number of distinct rows so far.
  var distinctCount: Int { builder?.distinctCount ?? 0 }
  var columns: [String] { builder?.columns ?? [] }

  /// Creates a parser that has read nothing; without a key, it uses the default names.
  ///
  /// Invalid lines of a published list are counted and skipped; those of a user are errors.
  init(path: String, key: String?, isPublished: Bool = false, without excluded: NetworkTable? = nil)
  {
    (self.path, self.key) = (path, key)
    (self.isPublished, self.excluded) = (isPublished, excluded)
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
      is no table of text: it must be CSV, TSV, a list or JSON (a database of places is named by \
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
    if case .object = form { return isLast ? try readJSON(text, from: start) : nil }
    let newline = text.firstNewline(from: start)
    guard newline != nil || isLast else { return nil }
    let end = newline ?? text.count
    let behind = newline.map { $0 + 1 } ?? text.count
    let content = ListItem.itemRange(in: text.extracting(start..<end))
    if content.isEmpty {
      line += 1
      return behind
    }
    switch form {
    case .unknown:
      try recognize(text.extracting(start..<end), first: text[start + content.lowerBound])
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
      try readRow(text)
      line += text.countNewlines(start..<rows.row.end)
      return rows.row.end
    case .object: return nil
    }
  }

  /// Recognises the format by the first significant line.
  private mutating func recognize(_ text: Span<UInt8>, first: UInt8) throws(TableFileError) {
    if first == UInt8(ascii: "{") {
      form = .object
      return
    }
    switch ListItem.parse(line: text) {
    case .address, .range: form = .list
    case .nothing, .invalid:
      // Published lists have no header, but may have invalid lines.
      form = isPublished ? .list : .rows
      rows = TableRows(header: text)
    }
  }

  // MARK: - Lists

  private mutating func readItem(_ text: Span<UInt8>) throws(TableFileError) {
    do throws(TableFileError) {
      let prefix = try prefix(ListItem.parse(line: text), isCell: false)
      try append(prefix, [])
    } catch {
      try countOdd(error)
    }
  }

  private mutating func countOdd(_ error: TableFileError) throws(TableFileError) {
    guard isPublished else { throw error }
    odd += 1
  }

  private mutating func append(_ prefix: Prefix, _ values: [[UInt8]]) throws(TableFileError) {
    if builder == nil { builder = NetworkTable.Builder(columns: []) }
    let parts = excluded.map { prefix.parts(outside: $0) } ?? [prefix]
    for part in parts {
      // In a list in which only some networks have values.
      for column in columns.indices {
        let value = column < values.count ? values[column] : []
        guard builder?.append(foreign: value.span) == true else { throw tooLarge }
      }
      builder?.append(part)
    }
  }

  private var tooLarge: TableFileError {
    error("the values are too many: they take more than 4 GiB")
  }

  /// The network of an item.
  private func prefix(_ item: ListItem, isCell: Bool) throws(TableFileError) -> Prefix {
    switch item {
    case .address(let address, _):
      return Prefix(holding: address, length: address.isIPv4 ? 32 : 128)
    case .range(let range):
      guard let prefix = Prefix(range) else {
        throw error("the range \(range.first)-\(range.last) is no network: write it as blocks")
      }
      return prefix
    case .invalid(let fault): throw error(isCell ? fault.reason : fault.message)
    case .nothing: throw error("has no network")
    }
  }

  // MARK: - Rows

  private mutating func readRow(_ text: Span<UInt8>) throws(TableFileError) {
    guard let key = rows.key else {
      do throws(TableRows.HeaderError) {
        builder = NetworkTable.Builder(columns: try rows.readHeader(text, key: self.key))
      } catch {
        throw self.error(error.reason)
      }
      return
    }
    guard rows.row.fields.count == rows.count else {
      let count = rows.row.fields.count
      throw error("has \(count) \(count == 1 ? "cell" : "cells"), and the header \(rows.count)")
    }
    for column in 0..<rows.count where column != key {
      guard rows.withValue(column, in: text, { builder?.append(foreign: $0) }) == true else {
        throw tooLarge
      }
    }
    let cell = text.extracting(rows.row.content(key, in: text))
    let item = cell.isBlank ? ListItem.nothing : ListItem.parse(operand: cell)
    let prefix = try prefix(item, isCell: true)
    builder?.append(prefix)
  }

  // MARK: - JSON

  private mutating func readJSON(_ text: Span<UInt8>, from start: Int) throws(TableFileError) -> Int
  {
    let list = TableJSON(text, from: start)
    guard let columns = list.columns else {
      throw error("is JSON, and no list of networks as AWS, Google or Azure publish it")
    }
    if let place = list.trailer {
      line += text.countNewlines(start..<place)
      throw error("something follows the list of networks")
    }
    if builder == nil { builder = NetworkTable.Builder(columns: columns) }
    let (first, begin) = (line, start)
    for network in list.networks {
      do throws(TableFileError) {
        let prefix = try prefix(ListItem.parse(operand: network.text.span), isCell: true)
        try append(prefix, network.values)
      } catch {
        line = first + text.countNewlines(begin..<network.place)
        try countOdd(TableFileError(path: path, line: line, reason: error.reason))
      }
    }
    return text.count
  }

  /// The largest size of an incomplete row.
  var longestText: Int {
    if case .object = form { TableFile.longestJSON } else { TableFile.longestRow }
  }

  /// Creates an error about the current line.
  func error(_ reason: String) -> TableFileError {
    TableFileError(path: path, line: line, reason: reason)
  }

  consuming func table() -> NetworkTable { (builder ?? NetworkTable.Builder(columns: [])).table() }
}

extension NetworkTable.Builder {
  /// Appends an untrusted value as valid UTF-8 without control characters; false if it is too big.
  fileprivate mutating func append(foreign value: Span<UInt8>) -> Bool {
    guard value.hasControls else { return append(value: value) }
    var text: [UInt8] = []
    text.append(withoutControls: value)
    return append(value: text.span)
  }
}

extension Span<UInt8> {
  fileprivate var isBlank: Bool { ListItem.itemRange(in: self).isEmpty }
}
