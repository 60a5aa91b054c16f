/// A form of the output: a row of the table of forms.
///
/// To add one: a file like `Format+CSV.swift`, and its row in ``all``.
public struct Format: Sendable {
  /// Every form.
  public static let all: [Format] = [csv, tsv, ndjson, json, geojson, sqlite, table, card]

  /// The name in `--format`.
  public let name: String

  /// The endings of files that ask for it, the usual one first.
  public let endings: [String]

  /// Whether it is laid out for a person.
  public let isForPerson: Bool

  /// Whether `upgrade` reads it.
  public let isReadAgain: Bool

  /// What stands between two values, in a form of lines of values below a header.
  public struct Delimiter: Sendable, Equatable {
    /// The byte itself.
    public let byte: UInt8
    /// Whether a value that begins with a quote ends with one, and may hold anything between them.
    public let isQuoted: Bool

    /// Makes one of its parts.
    public init(byte: UInt8, isQuoted: Bool) { (self.byte, self.isQuoted) = (byte, isQuoted) }
  }

  /// What stands between two values; `nil` where the form is not one of such lines.
  public let delimiter: Delimiter?

  /// Whether it is a database, which only a file can be; the bytes of a record are then a row, as
  /// ``TableRow`` has it.
  public let isDatabase: Bool

  /// What comes before the first record.
  let header: @Sendable (EncodingPlan) -> [UInt8]

  /// Appends a record, whose texts are among some bytes, and what sources add to it.
  typealias Append =
    @Sendable (EncodingPlan, Record, Span<UInt8>, AddedRow, inout OutputSpan<UInt8>) -> Void

  /// Appends a record, which is whole lines.
  let append: Append

  /// The most bytes that one of a text becomes.
  let growth: Int

  /// What comes between two records.
  let separator: [UInt8]

  /// What comes after the last record, of none or of some.
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

  /// The form of a name.
  public init?(name: some StringProtocol) {
    guard let format = Self.all.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  /// The form that a file's ending asks for; `nil` when it asks for none.
  public init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let ending = name[dot...].lowercased()
    guard let format = Self.all.first(where: { $0.endings.contains(ending) }) else { return nil }
    self = format
  }
}

extension Format: Equatable {
  /// Forms are told apart by their names.
  public static func == (left: Format, right: Format) -> Bool { left.name == right.name }
}
