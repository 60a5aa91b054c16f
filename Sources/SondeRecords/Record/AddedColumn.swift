public import SondeAddresses

/// A column that a source adds to the provider's answer.
public struct AddedColumn: Hashable, Sendable {
  /// The form of a column's values.
  public enum Form: Sendable, BitwiseCopyable {
    case text
    /// Several texts: an array in JSON, otherwise joined by blanks.
    case list
    /// Several numbers: an array of them in JSON, otherwise joined by blanks.
    case numbers
    /// A boolean.
    case flag
    /// A number as JSON writes it (RFC 8259 §6); any other text remains a text.
    case number
    /// The status of the source: a text, of which `failed` and `network_lost` have the same meaning
    /// as those of a provider.
    case status
  }

  /// The name in CSV headers, JSON keys and `--fields`.
  public let name: String

  /// The form of its values.
  public let form: Form

  /// Creates a column.
  public init(name: String, _ form: Form = .text) { (self.name, self.form) = (name, form) }

  /// Whether it contains the matching network or the source's status, which texts for people omit.
  public var isTechnical: Bool { name.hasSuffix("_network") || form == .status }

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

/// A source that adds columns to all records, whatever their status.
public protocol ColumnSource: Sendable {
  /// The columns in order.
  var columns: [AddedColumn] { get }
}

/// A source that knows its values at once, by the address or its autonomous system alone.
public protocol ImmediateSource: ColumnSource {
  /// Whether it is about autonomous systems: what it is given instead of an address is that of the
  /// system's number, `0.0.12.248` for AS3320.
  var isAboutSystems: Bool { get }

  /// Appends its values for some addresses, one per column for each address.
  ///
  /// The addresses are passed together, so that waiting for memory overlaps.
  func append(valuesOf addresses: Span<Address>, to values: inout AddedValues)
}

extension ImmediateSource {
  /// It is about addresses.
  public var isAboutSystems: Bool { false }

  /// What it is asked about for a record; `nil` if that is not known.
  func subject(of record: Record) -> Address? {
    guard isAboutSystems else { return record.address }
    return record.asn == 0 ? nil : Address(ipv4: record.asn)
  }
}
