/// An output format: a row of the table of formats.
///
/// To add one, add a file like `Format+CSV.swift`, and its row in ``all``.
public struct Format: Sendable {
  /// All formats.
  public static let all: [Format] = [csv, tsv, ndjson, json, geojson, sqlite, table, card]

  /// The name in `--format`.
  public let name: String

  /// The file extensions that select it, the usual one first.
  public let endings: [String]

  /// Whether it is intended for people.
  public let isForPerson: Bool

  /// Whether `upgrade` can read it.
  public let isReadAgain: Bool

  /// The separator of values, for formats with a header and one line per record.
  public struct Delimiter: Sendable, Equatable {
    /// The byte.
    public let byte: UInt8
    /// Whether values may be quoted, and then contain any text.
    public let isQuoted: Bool

    /// Creates a delimiter.
    public init(byte: UInt8, isQuoted: Bool) { (self.byte, self.isQuoted) = (byte, isQuoted) }
  }

  /// The separator of values; `nil` if the format has no such lines.
  public let delimiter: Delimiter?

  /// Whether it is a database, which must be a file; records are then rows in the form of
  /// ``TableRow``.
  public let isDatabase: Bool
  let header: @Sendable (EncodingPlan) -> [UInt8]

  /// Appends a record, given its texts' bytes and the added values.
  typealias Append =
    @Sendable (EncodingPlan, Record, Span<UInt8>, AddedRow, inout OutputSpan<UInt8>) -> Void

  let append: Append

  /// The largest number of bytes that one byte of a text becomes.
  let growth: Int
  let separator: [UInt8]
  let footer: @Sendable (_ isEmpty: Bool) -> [UInt8]

  init(
    _ name: String,
    endings: [String] = [],
    isForPerson: Bool = false,
    isReadAgain: Bool = false,
    delimiter: Delimiter? = nil,
    isDatabase: Bool = false,
    header: @escaping @Sendable (EncodingPlan) -> [UInt8] = { _ in [] },
    append: @escaping Append,
    // `\u001f`
    growth: Int = 6,
    separator: [UInt8] = [],
    footer: @escaping @Sendable (Bool) -> [UInt8] = { _ in [] }
  ) {
    (self.name, self.endings, self.isForPerson) = (name, endings, isForPerson)
    (self.isReadAgain, self.delimiter, self.isDatabase) = (isReadAgain, delimiter, isDatabase)
    (self.header, self.append, self.growth) = (header, append, growth)
    (self.separator, self.footer) = (separator, footer)
  }

  /// Finds a format by its name.
  public init?(name: some StringProtocol) {
    guard let format = Self.all.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  /// Finds a format by a file's extension; `nil` if it selects none.
  public init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let ending = name[dot...].lowercased()
    guard let format = Self.all.first(where: { $0.endings.contains(ending) }) else { return nil }
    self = format
  }
}

extension Format: Equatable {
  /// Compares formats by their names.
  public static func == (left: Format, right: Format) -> Bool { left.name == right.name }
}
