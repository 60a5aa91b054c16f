/// A column of the output, described by `row`.
public enum Field: Hashable, Sendable {
  case ip, status, source
  case countryCode, country, region, city, postalCode
  case latitude, longitude, timezone
  case asn, asName, isp, org, hostname
  case cached, fetchedAt, message, line
  // Only on request.
  case input, offset, network, continentCode, regionCode, registeredCountryCode, accuracyRadius
  case mobile, proxy, hosting, tor, vpn, relay
  case database, databaseDate, asDatabase, asDatabaseDate
  // Of the occurrence that a record stands for.
  case time, hour, day, hourOfDay, weekday, text
  // Totals, known at the end of the inputs.
  case hits, packets, bytes, firstSeen, lastSeen
  /// A column that a source adds to the provider's answer.
  case added(AddedColumn)

  /// The default columns, in order.
  public static let standard: [Field] = Array(allCases.prefix { $0 != .input })

  /// The columns for the position of an entry.
  public static let places: [Field] = [.line, .input, .offset]

  /// The columns for the line or packet of an occurrence, and its time.
  public static let occurrence: [Field] = [.time, .hour, .day, .hourOfDay, .weekday, .text]

  /// The columns whose values are known after all inputs have been read.
  public static let totals: [Field] = [.hits, .packets, .bytes, .firstSeen, .lastSeen]

  /// The default columns of a table for people.
  public static let table: [Field] = [.ip, .status, .countryCode, .city, .asName, .source]

  /// Whether a source adds it.
  public var isAdded: Bool { if case .added = self { true } else { false } }

  /// The name in CSV headers, JSON keys and `--fields`.
  public var name: String { row.name }

  /// The text that it shows; `nil` if it shows something else.
  public var textField: TextField? { if case .text(let field) = row.value { field } else { nil } }

  /// Finds a column by its name, except added ones.
  public init?(name: some StringProtocol) {
    guard let row = Self.rows.first(where: { $0.name == name }) else { return nil }
    self = row.field
  }
}

/// The kind of value in a record.
enum FieldValue: Equatable, Sendable, BitwiseCopyable {
  /// The address, or the raw item.
  case address
  case input
  /// The name of the provider that answered.
  case source
  case status
  /// The time of the provider's answer.
  case moment
  case text(TextField)
  case coordinate(Coordinate)
  case count(Count)
  case flag(Flag)
  case occurrence(OccurrenceValue)
  case total(TotalValue)
  case added(AddedColumn.Form)

  var isList: Bool { type == .list }

  var type: FieldType {
    switch self {
    case .coordinate, .added(.number): .number
    case .count, .occurrence(.hourOfDay): .integer
    case .total(.hits), .total(.packets), .total(.bytes): .integer
    case .flag, .added(.flag): .boolean
    case .added(.list), .added(.numbers): .list
    case .moment, .total(.firstSeen), .total(.lastSeen), .occurrence(.time): .time
    case .address, .input, .source, .status, .text, .occurrence, .added: .text
    }
  }
}

/// The type of a column's values, as `--fields help` names it.
package enum FieldType: String, Sendable {
  case text, integer, number, boolean
  /// Texts: an array in JSON, otherwise joined by blanks.
  case list
  /// A text in JSON (RFC 3339, in UTC).
  case time

  /// Whether JSON has its values in quotes.
  var isQuoted: Bool { self == .text || self == .time }
}

/// A row of the table of fields, which describes a column.
struct FieldRow: Sendable {
  /// The widths on a terminal; the minimum fits the name.
  typealias Widths = (least: Int, usual: Int, most: Int)

  let field: Field
  let name: String
  let note: String
  let value: FieldValue
  let widths: Widths
  /// The width if a long address needs space.
  let tight: Int

  init(
    _ field: Field,
    _ name: String,
    _ note: String,
    _ value: FieldValue,
    _ widths: Widths,
    tight: Int? = nil
  ) {
    (self.field, self.name, self.note, self.value) = (field, name, note, value)
    (self.widths, self.tight) = (widths, tight ?? widths.least)
  }
}

extension Field {
  var row: FieldRow {
    if case .added(let column) = self { return column.row }
    return Self.rows.first { $0.field == self } ?? Self.rows[0]
  }

  /// The table of fields, in the order of the columns.
  ///
  /// To add a column, add a case above, its row here and, if no provider has returned it yet, a
  /// place in ``Record``.
  private static let rows = [
    FieldRow(
      .ip,
      "ip",
      "the address (RFC 5952); the item itself where it is not one",
      .address,
      (15, 20, 26)
    ),
    FieldRow(
      .status,
      "status",
      Status.allCases.map(\.name).joined(separator: ", "),
      .status,
      (8, 8, 8)
    ),
    FieldRow(.source, "source", "who answered: ", .source, (11, 11, 11), tight: 6),
    FieldRow(
      .countryCode,
      "country_code",
      "ISO 3166-1 alpha-2",
      .text(.countryCode),
      (12, 12, 12),
      tight: 7
    ),
    FieldRow(.country, "country", "its English name", .text(.country), (10, 16, 24)),
    FieldRow(.region, "region", "state, province or the like", .text(.region), (10, 16, 24)),
    FieldRow(.city, "city", "city", .text(.city), (10, 16, 24), tight: 8),
    FieldRow(.postalCode, "postal_code", "postal code", .text(.postalCode), (11, 11, 11)),
    FieldRow(.latitude, "latitude", "degrees north, WGS 84", .coordinate(.latitude), (9, 9, 9)),
    FieldRow(.longitude, "longitude", "degrees east, WGS 84", .coordinate(.longitude), (9, 9, 9)),
    FieldRow(.timezone, "timezone", "IANA name", .text(.timezone), (10, 18, 30)),
    FieldRow(.asn, "asn", "number of the autonomous system", .count(.asn), (6, 10, 10)),
    FieldRow(.asName, "as_name", "its name", .text(.asName), (14, 28, 48), tight: 10),
    FieldRow(.isp, "isp", "Internet service provider", .text(.isp), (14, 28, 48)),
    FieldRow(.org, "org", "organisation", .text(.org), (14, 28, 48)),
    FieldRow(
      .hostname,
      "hostname",
      "host name; asked of ip-api only when named here",
      .text(.hostname),
      (14, 28, 48)
    ),
    FieldRow(.cached, "cached", "whether the cache answered", .flag(.cached), (6, 10, 10)),
    FieldRow(
      .fetchedAt,
      "fetched_at",
      "time of the answer, RFC 3339 UTC; of a database, its build date",
      .moment,
      (20, 20, 20)
    ),
    FieldRow(.message, "message", "why, for every status but ok", .text(.message), (14, 28, 48)),
    FieldRow(.line, "line", "line of the first appearance, from 1", .count(.line), (6, 8, 10)),
    FieldRow(.input, "input", "the file", .input, (10, 16, 24)),
    FieldRow(
      .offset,
      "offset",
      "byte at which that line begins, from 0; of plain logs (--log)",
      .count(.offset),
      (6, 8, 12)
    ),
    FieldRow(
      .network,
      "network",
      "the prefix, from local databases",
      .text(.network),
      (18, 18, 26)
    ),
    FieldRow(
      .continentCode,
      "continent_code",
      "AF, AN, AS, EU, NA, OC, SA",
      .text(.continentCode),
      (14, 14, 14)
    ),
    FieldRow(.regionCode, "region_code", "code of the region", .text(.regionCode), (11, 11, 11)),
    FieldRow(
      .registeredCountryCode,
      "registered_country_code",
      "where its network is registered",
      .text(.registeredCountryCode),
      (23, 23, 23)
    ),
    FieldRow(
      .accuracyRadius,
      "accuracy_radius",
      "km around the position in which it probably is",
      .count(.accuracyRadius),
      (15, 15, 15)
    ),
    FieldRow(.mobile, "mobile", "whether it is a cellular connection", .flag(.mobile), (6, 6, 6)),
    FieldRow(.proxy, "proxy", "whether it is a proxy, VPN or Tor exit", .flag(.proxy), (6, 6, 6)),
    FieldRow(.hosting, "hosting", "whether it is in a data centre", .flag(.hosting), (7, 7, 7)),
    FieldRow(.tor, "tor", "whether it is a Tor exit", .flag(.tor), (5, 5, 5)),
    FieldRow(.vpn, "vpn", "whether it is the exit of a VPN", .flag(.vpn), (5, 5, 5)),
    FieldRow(.relay, "relay", "whether it is a private relay", .flag(.relay), (5, 5, 5)),
    FieldRow(
      .database,
      "database",
      "the local database of the place, else of the country",
      .text(.database),
      (12, 20, 30)
    ),
    FieldRow(.databaseDate, "database_date", "its build day", .text(.databaseDate), (13, 13, 13)),
    FieldRow(.asDatabase, "as_database", "that of the AS", .text(.asDatabase), (12, 20, 30)),
    FieldRow(
      .asDatabaseDate,
      "as_database_date",
      "its build day",
      .text(.asDatabaseDate),
      (16, 16, 16)
    ),
    FieldRow(
      .time,
      "time",
      "time of its line or packet, RFC 3339 UTC",
      .occurrence(.time),
      (20, 20, 20)
    ),
    FieldRow(
      .hour,
      "hour",
      "start of the hour of that time, in --time-zone",
      .occurrence(.hour),
      (17, 17, 22)
    ),
    FieldRow(.day, "day", "date of that time", .occurrence(.day), (10, 10, 10)),
    FieldRow(
      .hourOfDay,
      "hour_of_day",
      "hour of the day, 0 to 23",
      .occurrence(.hourOfDay),
      (11, 11, 11)
    ),
    FieldRow(.weekday, "weekday", "Mon to Sun", .occurrence(.weekday), (7, 7, 7)),
    FieldRow(.text, "text", "its line, at most 4,096 bytes", .occurrence(.text), (20, 60, 120)),
    FieldRow(
      .hits,
      "hits",
      "how many occurrences the address has in all inputs",
      .total(.hits),
      (6, 8, 10)
    ),
    FieldRow(
      .packets,
      "packets",
      "packets of a capture to or from it",
      .total(.packets),
      (8, 8, 10)
    ),
    FieldRow(.bytes, "bytes", "their bytes on the wire", .total(.bytes), (8, 10, 14)),
    FieldRow(
      .firstSeen,
      "first_seen",
      "time of the earliest occurrence, RFC 3339 UTC",
      .total(.firstSeen),
      (20, 20, 20)
    ),
    FieldRow(.lastSeen, "last_seen", "time of the latest one", .total(.lastSeen), (20, 20, 20)),
  ]
}

extension Field: CaseIterable {
  /// All columns that exist in every run, in order.
  public static let allCases: [Field] = rows.map(\.field)
}
