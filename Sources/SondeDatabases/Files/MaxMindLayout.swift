/// The values Sonde takes from an MMDB record of any layout.
enum MaxMindValue: Int, CaseIterable {
  case countryCode, countryName, continentCode
  /// IPinfo's `country` and `continent`: names where the codes stand beside them, else the codes.
  case country, continent
  case region, regionCode, city, postalCode
  case latitude, longitude, timezone
  case asn, asName
  /// IPinfo's legacy AS databases say `name`, which could be anything's beside no AS number.
  case name
  case isp, organization
  case isAnonymous, isProxy, isHosting, isMobile
  // Of the metadata.
  case nodeCount, recordSize

  /// Whether the value is a boolean, and true if any key for it is.
  var isFlag: Bool {
    switch self {
    case .isAnonymous, .isProxy, .isHosting, .isMobile: true
    default: false
    }
  }
}

/// Where the values lie in a record: a tree over the keys of the layouts.
///
/// MaxMind: https://dev.maxmind.com/geoip/docs/databases; DB-IP: https://db-ip.com/db/format/;
/// IPinfo: https://github.com/ipinfo/sample-database. No key means two things in two layouts,
/// except as noted at ``MaxMindValue``, so that one tree serves all.
struct MaxMindLayout {
  /// A key of a map (or an index of a list) and what it leads to.
  struct Branch {
    var key: [UInt8]
    var value: MaxMindValue?
    /// The index of the node below; 0, the root, for none.
    var node = 0

    func isNamed(_ name: Span<UInt8>) -> Bool {
      guard key.count == name.count else { return false }
      for index in name.indices where name[index] != key[index] { return false }
      return true
    }
  }

  /// The branches of each node; the root is the first.
  private(set) var nodes: [[Branch]] = [[]]

  /// The layouts of records.
  static let records = MaxMindLayout([
    (.countryCode, ["country.iso_code", "country_code"]),
    (.countryName, ["country.names.en", "country_name"]),
    (.country, ["country"]),
    (.continentCode, ["continent.code", "continent_code"]),
    (.continent, ["continent"]),
    (.region, ["subdivisions.0.names.en", "region"]),
    (.regionCode, ["subdivisions.0.iso_code", "region_code"]),
    (.city, ["city.names.en", "city"]),
    (.postalCode, ["postal.code", "postal_code"]),
    (.latitude, ["location.latitude", "latitude", "lat"]),
    (.longitude, ["location.longitude", "longitude", "lng"]),
    (.timezone, ["location.time_zone", "timezone"]),
    (.asn, ["autonomous_system_number", "traits.autonomous_system_number", "asn"]),
    (
      .asName,
      ["autonomous_system_organization", "traits.autonomous_system_organization", "as_name"]
    ),
    (.name, ["name"]),
    (.isp, ["isp", "traits.isp"]),
    (.organization, ["organization", "traits.organization"]),
    (.isAnonymous, ["is_anonymous"]),
    (
      .isProxy,
      [
        "is_anonymous_vpn", "is_public_proxy", "is_residential_proxy", "is_tor_exit_node",
        "is_proxy", "is_relay", "is_tor", "is_vpn", "proxy", "relay", "tor", "vpn",
      ]
    ),
    (.isHosting, ["is_hosting_provider", "is_hosting", "hosting"]),
    (.isMobile, ["is_mobile"]),
  ])

  /// The layout of the metadata, as far as it is not left to libmaxminddb.
  static let metadata = MaxMindLayout([
    (.nodeCount, ["node_count"]), (.recordSize, ["record_size"]),
  ])

  private init(_ table: [(MaxMindValue, [String])]) {
    for (value, paths) in table {
      for path in paths { insert(path, value) }
    }
  }

  private mutating func insert(_ path: String, _ value: MaxMindValue) {
    var node = 0
    let keys = path.split(separator: ".").map { Array($0.utf8) }
    for (depth, key) in keys.enumerated() {
      let branch = branch(key, of: node)
      if depth == keys.count - 1 {
        nodes[node][branch].value = value
      } else {
        if nodes[node][branch].node == 0 {
          nodes[node][branch].node = nodes.count
          nodes.append([])
        }
        node = nodes[node][branch].node
      }
    }
  }

  private mutating func branch(_ key: [UInt8], of node: Int) -> Int {
    if let index = nodes[node].firstIndex(where: { $0.key == key }) { return index }
    nodes[node].append(Branch(key: key))
    return nodes[node].count - 1
  }

  /// What a key leads to; `nil` for a key that no layout has there.
  func branch(
    _ key: Span<UInt8>,
    of node: Int
  ) -> (value: MaxMindValue?, node: Int?)? {
    for index in nodes[node].indices where nodes[node][index].isNamed(key) {
      let below = nodes[node][index].node
      return (nodes[node][index].value, below == 0 ? nil : below)
    }
    return nil
  }

  /// What the first item of a list leads to.
  func first(of node: Int) -> Int? {
    nodes[node].first { $0.key == [UInt8(ascii: "0")] }?.node
  }
}
