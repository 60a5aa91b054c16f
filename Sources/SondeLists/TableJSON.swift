import SondeInputs
import SondeRecords

/// The networks of a JSON list in the format of AWS, Google or Azure, recognised by its members.
///
/// - AWS (https://docs.aws.amazon.com/vpc/latest/userguide/aws-ip-syntax.html): `prefixes` with
///   `ip_prefix`, `region` and `service`, `ipv6_prefixes` with `ipv6_prefix` and the same.
/// - Google (https://www.gstatic.com/ipranges/cloud.json): `prefixes` with `ipv4Prefix` or
///   `ipv6Prefix`, and in that of its cloud `service` and `scope`, which is the region.
/// - Azure (https://www.microsoft.com/download/details.aspx?id=56519): `values` with `name` and
///   `properties`, which have `region`, `systemService` and `addressPrefixes`; without a service,
///   the first word of the name is used.
struct TableJSON {
  /// A network and its values.
  struct Network {
    let place: Int
    let text: [UInt8]
    /// Empty in a list without values.
    let values: [[UInt8]]
  }

  /// The names of the values; `nil` if it is not one of these lists.
  private(set) var columns: [String]?

  private(set) var networks: [Network] = []

  /// The position of text after the object; `nil` if there is none.
  private(set) var trailer: Int?

  /// Reads the object at a position.
  init(_ text: Span<UInt8>, from start: Int) {
    guard let (members, end) = Self.object(text, at: start) else { return }
    let rest = text.behindJSONSpace(from: end)
    trailer = rest < text.count ? rest : nil
    let lists = ["prefixes", "ipv6_prefixes"].compactMap { members[$0] }
    for list in lists {
      for element in Self.elements(text, at: list) { readPrefix(text, at: element) }
    }
    if lists.isEmpty, let values = members["values"] {
      columns = PublishedList.cloudColumns
      for element in Self.elements(text, at: values) { readTag(text, at: element) }
    } else if !lists.isEmpty, columns == nil {
      columns = []
    }
  }

  private mutating func readPrefix(_ text: Span<UInt8>, at start: Int) {
    guard let members = Self.members(text, at: start) else { return }
    let keys = ["ip_prefix", "ipv6_prefix", "ipv4Prefix", "ipv6Prefix"]
    guard let place = keys.lazy.compactMap({ members[$0] }).first else { return }
    let region = members["region"] ?? members["scope"]
    if members["service"] != nil || region != nil { columns = PublishedList.cloudColumns }
    let values = columns?.isEmpty == false ? [members["service"], region] : []
    networks.append(
      Network(
        place: place,
        text: Self.string(text, at: place),
        values: values.map { $0.map { Self.string(text, at: $0) } ?? [] }
      )
    )
  }

  private mutating func readTag(_ text: Span<UInt8>, at start: Int) {
    guard let members = Self.members(text, at: start),
      let properties = members["properties"].flatMap({ Self.members(text, at: $0) }),
      let prefixes = properties["addressPrefixes"]
    else { return }
    var service = properties["systemService"].map { Self.string(text, at: $0) } ?? []
    if service.isEmpty, let name = members["name"] {
      service = Array(Self.string(text, at: name).prefix { $0 != UInt8(ascii: ".") })
    }
    let region = properties["region"].map { Self.string(text, at: $0) } ?? []
    for place in Self.elements(text, at: prefixes) {
      let network = Self.string(text, at: place)
      networks.append(Network(place: place, text: network, values: [service, region]))
    }
  }

  // MARK: - Values

  /// The positions of the values of an object's members; `nil` if there is no object.
  private static func members(_ text: Span<UInt8>, at start: Int) -> [String: Int]? {
    object(text, at: start)?.members
  }

  /// The positions of the values, and the end of the object.
  private static func object(
    _ text: Span<UInt8>,
    at start: Int
  ) -> (members: [String: Int], end: Int)? {
    var row = JSONRow()
    guard row.read(text, from: start) == .whole else { return nil }
    var members: [String: Int] = [:]
    for member in row.members {
      let name = String(decoding: member.name.map { text[$0] }, as: UTF8.self)
      members[name] = member.value.lowerBound
    }
    return (members, row.end)
  }

  /// The positions of an array's elements; empty if there is no array.
  private static func elements(_ text: Span<UInt8>, at start: Int) -> [Int] {
    JSONRow.elements(of: text, from: start) ?? []
  }

  /// The longest string accepted, in bytes, as for a provider's text.
  private static let longestString = 1 << 10

  /// The value of a string; empty if there is none.
  private static func string(_ text: Span<UInt8>, at start: Int) -> [UInt8] {
    guard start < text.count, text[start] == UInt8(ascii: "\"") else { return [] }
    var end = start + 1
    while end < text.count, text[end] != UInt8(ascii: "\"") {
      end += text[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < text.count else { return [] }
    var meaning: [UInt8] = []
    meaning.append(meaningOfJSON: text.extracting(start + 1..<end))
    return Array(meaning.span.repaired(maximum: longestString).utf8)
  }
}
