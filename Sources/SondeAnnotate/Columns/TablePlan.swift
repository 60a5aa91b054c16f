import SondeAddresses
import SondeInputs
import SondeRecords
import SondeSystem

/// The rules for all tables of a run.
struct TableRules: Sendable {
  /// The names of the columns with addresses; empty to detect them.
  let columns: [String]
  /// The delimiter of cells; `nil` to detect it in the header.
  let delimiter: UInt8?
  /// The columns added for each of them.
  let fields: [Field]
  /// Whether new cells must be safe in a spreadsheet.
  let isSpreadsheet: Bool
  /// Whether addresses in the table are replaced.
  var isAnonymized = false
  /// Whether defanged marks are the marks that they stand for.
  var refangs = false
}

/// How the rows of one table are read, and the columns that they gain.
struct TablePlan: Sendable {
  let delimiter: UInt8
  let columnCount: Int
  /// The columns with addresses, in ascending order.
  let wanted: [Int]
  /// The indices in ``wanted`` in the order of the new columns.
  let order: [Int]
  /// The number of new columns per column with addresses.
  let fieldCount: Int
  /// Whether addresses in the table are replaced.
  let isAnonymized: Bool
  /// Whether defanged marks are the marks that they stand for.
  let refangs: Bool
  /// The new cells of the header, each after a delimiter.
  let headerCells: [UInt8]

  /// Creates a plan from the beginning of a table; `nil` if the first data row is needed and
  /// incomplete.
  init?(
    _ rules: TableRules,
    _ header: Header,
    in text: Span<UInt8>,
    isLast: Bool
  ) throws(TableError) {
    guard header.isClosed else { throw .openQuotes }
    guard let chosen = try Self.columns(rules, header, in: text, isLast: isLast) else {
      return nil
    }
    for column in chosen where header.holdsAddress(column, rules) {
      throw .noHeader(header.names[column])
    }
    let names = try Self.newNames(chosen, rules, header)
    delimiter = header.delimiter
    columnCount = header.names.count
    let rising = chosen.sorted()
    wanted = rising
    order = chosen.map { rising.firstIndex(of: $0) ?? 0 }
    fieldCount = rules.fields.count
    (isAnonymized, refangs) = (rules.isAnonymized, rules.refangs)
    var cells: [UInt8] = []
    for name in names {
      cells.append(delimiter)
      NewCells.append(name, delimiter: delimiter, isSpreadsheet: rules.isSpreadsheet, to: &cells)
    }
    headerCells = cells
  }

  private static func newNames(
    _ columns: [Int],
    _ rules: TableRules,
    _ header: Header
  ) throws(TableError) -> [[UInt8]] {
    var taken = Set(header.names)
    var names: [[UInt8]] = []
    for column in columns {
      for field in rules.fields {
        let name = header.names[column] + Array("_\(field.name)".utf8)
        guard taken.insert(name).inserted else { throw .doubledName(name) }
        names.append(name)
      }
    }
    return names
  }

  // MARK: - Columns with addresses

  private static func columns(
    _ rules: TableRules,
    _ header: Header,
    in text: Span<UInt8>,
    isLast: Bool
  ) throws(TableError) -> [Int]? {
    guard rules.columns.isEmpty else { return try named(rules.columns, header) }
    let usual = header.names.indices.filter { header.names[$0].isUsualName }
    if usual.count == 1 { return usual }
    guard let found = holding(header, rules, in: text, isLast: isLast) else { return nil }
    guard usual.isEmpty, found.count == 1 else {
      let address = header.names.indices.first { header.holdsAddress($0, rules) }
      throw address.map { .noHeader(header.names[$0]) } ?? .noChoice(header.names)
    }
    return found
  }

  private static func named(_ names: [String], _ header: Header) throws(TableError) -> [Int] {
    var columns: [Int] = []
    for name in names {
      var found = header.names.indices.filter { header.names[$0] == Array(name.utf8) }
      if found.isEmpty {
        let wanted = name.lowercased()
        found = header.names.indices.filter {
          String(decoding: header.names[$0], as: UTF8.self).lowercased() == wanted
        }
        guard found.count == 1 else { throw .noColumn(name, header.names) }
      }
      columns += found
    }
    return columns
  }

  /// The columns with an address in the first data row; `nil` if it is incomplete.
  private static func holding(
    _ header: Header,
    _ rules: TableRules,
    in text: Span<UInt8>,
    isLast: Bool
  ) -> [Int]? {
    var cells = DelimitedRow(delimiter: header.delimiter)
    var position = header.end
    while position < text.count {
      cells.read(text, from: position)
      guard cells.isEnded || isLast else { return nil }
      if cells.bodyEnd > position {
        guard cells.isClosed else { return [] }
        return cells.fields.indices.filter {
          CellContent(cells.fields[$0], of: text, refangs: rules.refangs).isAddress
        }
      }
      position = cells.end
    }
    return isLast ? [] : nil
  }
}

extension Header {
  /// Whether a column's name is an address, because the first row is not a header.
  fileprivate func holdsAddress(_ column: Int, _ rules: TableRules) -> Bool {
    let name = names[column]
    return HostAddress(name.span, refangs: rules.refangs) != nil
  }
}

extension [UInt8] {
  /// Whether a column is named `ip`, ignoring case.
  fileprivate var isUsualName: Bool {
    count == 2 && self[0] | 0x20 == UInt8(ascii: "i") && self[1] | 0x20 == UInt8(ascii: "p")
  }
}

/// The reason why a table does not match the options.
enum TableError: Error, Equatable, CustomStringConvertible {
  case openQuotes
  case longHeader
  case noHeader([UInt8])
  case noColumn(String, [[UInt8]])
  case noChoice([[UInt8]])
  case doubledName([UInt8])

  var description: String {
    switch self {
    case .openQuotes: "the quotes of its header are not closed"
    case .longHeader: "its header and first row are longer than 16 MiB"
    case .noHeader(let name):
      "its first row is no header, since '\(Self.text(name))' is an address: put the names of the "
        + "columns before it"
    case .noColumn(let name, let names):
      "has no column '\(escapedForPerson(name))'; its columns are \(Self.list(names))"
    case .noChoice(let names):
      "which column holds the addresses is not plain: name it with --column, or take "
        + "--style brackets for a log; its columns are \(Self.list(names))"
    case .doubledName(let name):
      "would have two columns '\(Self.text(name))': take that column out, or name others with "
        + "--column and --fields"
    }
  }

  /// The largest number of names in a message.
  private static let mostNames = 50

  private static func list(_ names: [[UInt8]]) -> String {
    let more = names.count - mostNames
    return names.prefix(mostNames).map { "'\(text($0))'" }.joined(separator: ", ")
      + (more > 0 ? " and \(more) more" : "")
  }

  private static func text(_ name: [UInt8]) -> String {
    escapedForPerson(name.span.repaired(maximum: 100))
  }
}
