public import SondeRecords

/// How people read a field of records: its label, and the group that it stands in on a card.
public struct FieldDescription: Sendable, Equatable {
  /// A part of a card; those of sources are named after them.
  enum Group: String {
    case address = "Address"
    case place = "Place"
    case network = "Network"
    case flags = "Flags"
    case answer = "Answer"
    /// About the entry of a scan, and what is no part of a card.
    case entry = "Entry"
  }

  /// The name in records.
  public let name: String

  /// The label.
  public let label: String

  /// The name of its group.
  public let group: String

  /// The type of its values, as in `--fields help`.
  public let type: String

  private init(_ field: Field, _ label: String, _ group: String) {
    (name, type) = (field.name, field.type.rawValue)
    (self.label, self.group) = (label, group)
  }

  /// All fields in the order of a card, those of the sources last.
  package static func all(adding sources: [any ColumnSource]) -> [FieldDescription] {
    let known = rows.flatMap { group, fields in
      fields.map { FieldDescription($0, $1, group.rawValue) }
    }
    return known + sources.flatMap { added(by: $0.columns) }
  }

  /// The columns of a source, in a group that is named by the beginning that their names share.
  private static func added(by columns: [AddedColumn]) -> [FieldDescription] {
    let words = columns.map { $0.name.split(separator: "_", omittingEmptySubsequences: false) }
    guard let first = words.first else { return [] }
    let shared = first.indices.prefix { index in
      words.allSatisfy { $0.count > index && $0[index] == first[index] }
    }
    let group = label(of: first[..<max(1, shared.count)])
    return zip(columns, words).map { FieldDescription(.added($0), label(of: $1[...]), group) }
  }

  /// Words that are written in capitals.
  private static let abbreviations: Set<Substring> = ["aws", "gcp", "ptr", "as", "ip", "rir"]

  /// `aws_region` as `AWS region`.
  private static func label(of words: ArraySlice<Substring>) -> String {
    let text = words.map { abbreviations.contains($0) ? $0.uppercased() : String($0) }
      .joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// The JSON object of the API.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("label", label)
    object.add("group", group)
    object.add("type", type)
    return object
  }

  private static let rows: [(Group, [(Field, String)])] = [
    (.address, [(.ip, "Address")]),
    (
      .place,
      [
        (.country, "Country"), (.countryCode, "Country code"), (.region, "Region"),
        (.city, "City"), (.postalCode, "Postal code"), (.latitude, "Latitude"),
        (.longitude, "Longitude"), (.accuracyRadius, "Accuracy (km)"), (.timezone, "Time zone"),
        (.continentCode, "Continent"), (.registeredCountryCode, "Registered in"),
      ]
    ),
    (
      .network,
      [
        (.asn, "AS number"), (.asName, "AS name"), (.isp, "ISP"), (.org, "Organisation"),
        (.hostname, "Host name"), (.network, "Network"),
      ]
    ),
    (
      .flags,
      [
        (.mobile, "Mobile"), (.proxy, "Proxy"), (.hosting, "Hosting"), (.tor, "Tor exit"),
        (.vpn, "VPN"), (.relay, "Relay"),
      ]
    ),
    (
      .answer,
      [
        (.status, "Status"), (.source, "Source"), (.database, "Database"),
        (.databaseDate, "Built on"), (.asDatabase, "AS database"),
        (.asDatabaseDate, "AS built on"), (.fetchedAt, "Fetched"), (.message, "Message"),
      ]
    ),
    (
      .entry,
      [
        (.regionCode, "Region code"), (.cached, "From the cache"), (.line, "Line"),
        (.input, "Input"), (.offset, "Offset"), (.time, "Time"), (.hour, "Hour"), (.day, "Day"),
        (.hourOfDay, "Hour of the day"), (.weekday, "Weekday"), (.text, "Text"), (.hits, "Hits"),
        (.packets, "Packets"), (.bytes, "Bytes"), (.firstSeen, "First seen"),
        (.lastSeen, "Last seen"),
      ]
    ),
  ]
}
