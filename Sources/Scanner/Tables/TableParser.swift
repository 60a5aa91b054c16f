import Addresses
import Records
import Tables

/// Reads the text of a table as it comes, row by row.
struct TableParser {
  /// What kind of text it is.
  private enum Form {
    /// Not known yet.
    case unknown
    /// An address or a block a line.
    case list
    /// Rows of values below a header.
    case rows
    /// One object, which is looked at when it is whole.
    case object
  }

  private let path: String
  private let key: String?
  private var form = Form.unknown
  private var rows = TableRows()
  /// The line at hand, from 1.
  private var line = 1
  private var isAtBegin = true
  private var builder = NetworkTable.Builder(columns: [])

  init(path: String, key: String?) { (self.path, self.key) = (path, key) }

  /// Reads what is whole.
  ///
  /// - Parameters:
  ///   - text: What is not read yet.
  ///   - isLast: Whether it is all there is.
  /// - Returns: How much of it was read.
  /// - Throws: ``TableFileError``.
  mutating func read(_ text: Span<UInt8>, isLast: Bool) throws(TableFileError) -> Int {
    var position = 0
    if isAtBegin {
      guard text.count >= 3 || isLast else { return 0 }
      if text.startsWithByteOrderMark { position = 3 }
      isAtBegin = false
    }
    while position < text.count {
      guard let next = try step(text, from: position, isLast: isLast) else { break }
      position = next
    }
    return position
  }

  /// Reads what stands next; `nil` where more of it is to come.
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

  /// Tells the form by the first line that says something.
  private mutating func recognize(_ text: Span<UInt8>, first: UInt8) throws(TableFileError) {
    if first == UInt8(ascii: "{") {
      form = .object
      return
    }
    switch ListItem.parse(line: text) {
    case .address, .range: form = .list
    case .nothing, .invalid:
      form = .rows
      rows = TableRows(header: text)
    }
  }

  // MARK: - Lists

  private mutating func readItem(_ text: Span<UInt8>) throws(TableFileError) {
    builder.append(try prefix(ListItem.parse(line: text), isCell: false))
  }

  /// The network that an item stands for.
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
      throw error("has \(rows.row.fields.count) cells, and the header \(rows.count)")
    }
    for column in 0..<rows.count where column != key {
      guard rows.withValue(column, in: text, { builder.append(value: $0) }) else {
        throw error("the values are too many: they take more than 4 GiB")
      }
    }
    let cell = text.extracting(rows.row.content(key, in: text))
    builder.append(
      try prefix(cell.isBlank ? .nothing : ListItem.parse(operand: cell), isCell: true)
    )
  }

  // MARK: - JSON

  private mutating func readJSON(_ text: Span<UInt8>, from start: Int) throws(TableFileError) -> Int
  {
    throw error("is JSON, and none of the lists that are known")
  }

  /// The most bytes that may wait for the rest of what they begin.
  var longestText: Int {
    if case .object = form { TableFile.longestJSON } else { TableFile.longestRow }
  }

  /// What is wrong in the line at hand.
  func error(_ reason: String) -> TableFileError {
    TableFileError(path: path, line: line, reason: reason)
  }

  /// Makes the table of all that was read.
  consuming func table() -> NetworkTable {
    builder.table()
  }
}

extension Span<UInt8> {
  /// Whether there is nothing but blanks.
  fileprivate var isBlank: Bool { ListItem.itemRange(in: self).isEmpty }
}
