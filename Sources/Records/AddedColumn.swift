public import Addresses

/// A column that a source adds beside whatever provider answered, whose values are texts.
public struct AddedColumn: Hashable, Sendable {
  /// The name in CSV headers, JSON keys and `--fields`.
  public let name: String

  /// Names a column.
  public init(name: String) { self.name = name }

  /// Whether it says which network holds the address, or how a source fared: a text for a person
  /// does without.
  public var isTechnical: Bool { name.hasSuffix("_network") || name.hasSuffix("_status") }

  /// All that is known of the column.
  var row: FieldRow {
    let length = name.utf8.count
    let (usual, most) = isTechnical ? (18, 26) : (16, 24)
    return FieldRow(
      .added(self),
      name,
      "added by --with",
      .added,
      (max(length, 10), max(length, usual), max(length, most)),
      tight: min(length, 8)
    )
  }
}

/// What adds columns to records, whoever answered and whatever came of it.
public protocol ColumnSource: Sendable {
  /// The columns, in their order.
  var columns: [AddedColumn] { get }

  /// Appends what it knows of an address: as many values as there are columns.
  func append(valuesOf address: Address, to values: inout AddedValues)
}

/// The values of the added columns of a record, each a text.
public struct AddedValues: Sendable {
  /// Valid UTF-8 at every value.
  var bytes: [UInt8] = []
  private var ends: [Int] = []

  static let none = AddedValues()

  /// Adds the value of the next column: what `write` appends, valid UTF-8; nothing is no value.
  public mutating func append(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    ends.append(bytes.count)
  }

  /// Adds columns without a value.
  public mutating func appendNothing(_ count: Int) {
    for _ in 0..<count { ends.append(bytes.count) }
  }

  /// Where the value of a column stands; nothing where there is none.
  subscript(column: Int) -> Range<Int> {
    column < ends.count ? (column > 0 ? ends[column - 1] : 0)..<ends[column] : 0..<0
  }
}

extension EncodingPlan {
  /// What the sources say of a record's address.
  func addedValues(of record: Record) -> AddedValues {
    guard showsAdded, let address = record.address else { return .none }
    var values = AddedValues()
    for source in added { source.append(valuesOf: address, to: &values) }
    return values
  }
}
