public import SondeAddresses

/// A column that a source adds beside whatever provider answered.
public struct AddedColumn: Hashable, Sendable {
  /// What its values are.
  public enum Form: Sendable, BitwiseCopyable {
    case text
    /// Some texts: an array in JSON, elsewhere joined by blanks.
    case list
    /// True or false.
    case flag
    /// How the source fared: a text, of which `failed` and `network_lost` count as those of a provider.
    case status
  }

  /// The name in CSV headers, JSON keys and `--fields`.
  public let name: String

  /// What its values are.
  public let form: Form

  /// Names a column.
  public init(name: String, _ form: Form = .text) { (self.name, self.form) = (name, form) }

  /// Whether it says which network holds the address, or how a source fared: a text for a person
  /// does without.
  public var isTechnical: Bool { name.hasSuffix("_network") || form == .status }

  /// All that is known of the column.
  var row: FieldRow {
    let length = name.utf8.count
    let (usual, most) = isTechnical ? (18, 26) : (16, 24)
    return FieldRow(
      .added(self),
      name,
      "added by --with",
      .added(form),
      (max(length, 10), max(length, usual), max(length, most)),
      tight: min(length, 8)
    )
  }
}

/// Who adds columns to records, whoever answered and whatever came of it.
public protocol ColumnSource: Sendable {
  /// The columns, in their order.
  var columns: [AddedColumn] { get }
}

/// Who knows the values of its columns by an address alone, at once.
public protocol ImmediateSource: ColumnSource {
  /// Appends what it knows of some addresses: of each as many values as there are columns.
  ///
  /// They come together, as what one of them waits for is on its way for the others meanwhile.
  func append(valuesOf addresses: Span<Address>, to values: inout AddedValues)
}
