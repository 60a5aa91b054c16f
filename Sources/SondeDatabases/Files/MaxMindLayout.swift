/// The values used from an MMDB record of any layout.
enum MaxMindValue: Int, CaseIterable {
  case countryCode, countryName, continentCode
  /// IPinfo's `country` and `continent` are names if there are also codes, otherwise the codes.
  case country, continent
  case region, regionCode, city, postalCode
  case registeredCountryCode
  case latitude, longitude, timezone, accuracyRadius
  case asn, asName
  /// The `name` in IPinfo's legacy AS databases; without an AS number, it could name anything.
  case name
  case isp, organization
  case isAnonymous, isProxy, isHosting, isTor, isVPN, isRelay, isMobile
  // Of the metadata.
  case nodeCount, recordSize

  /// Whether the value is a boolean, which is true if any of its keys is.
  var isFlag: Bool {
    switch self {
    case .isAnonymous, .isProxy, .isHosting, .isTor, .isVPN, .isRelay, .isMobile: true
    default: false
    }
  }
}

/// The positions of the values in a record: a tree over the keys of all layouts.
///
/// MaxMind: https://dev.maxmind.com/geoip/docs/databases; DB-IP: https://db-ip.com/db/format/;
/// IPinfo: https://github.com/ipinfo/sample-database. Except as noted at ``MaxMindValue``, no key
/// has different meanings in two layouts, so one tree serves all.
struct MaxMindLayout {
  /// A key of a map (or an index of a list) and its target.
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

  static let records = MaxMindLayout([
    (.countryCode, ["country.iso_code", "country_code"]),
    (.countryName, ["country.names.en", "country_name"]),
    (.country, ["country"]),
    (.continentCode, ["continent.code", "continent_code"]),
    (.continent, ["continent"]),
    (.registeredCountryCode, ["registered_country.iso_code"]),
    (.region, ["subdivisions.0.names.en", "region"]),
    (.regionCode, ["subdivisions.0.iso_code", "region_code"]),
    (.city, ["city.names.en", "city"]),
    (.postalCode, ["postal.code", "postal_code"]),
    (.latitude, ["location.latitude", "latitude", "lat"]),
    (.longitude, ["location.longitude", "longitude", "lng"]),
    (.accuracyRadius, ["location.accuracy_radius", "radius"]),
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
    (.isProxy, ["is_public_proxy", "is_residential_proxy", "is_proxy", "proxy"]),
    (.isTor, ["is_tor_exit_node", "is_tor", "tor"]),
    (.isVPN, ["is_anonymous_vpn", "is_vpn", "vpn"]),
    (.isRelay, ["is_relay", "relay"]),
    (.isHosting, ["is_hosting_provider", "is_hosting", "hosting"]),
    (.isMobile, ["is_mobile"]),
  ])

  /// The layout of the metadata that is not left to libmaxminddb.
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

  /// The target of a key; `nil` if no layout has the key there.
  func branch(_ key: Span<UInt8>, of node: Int) -> (value: MaxMindValue?, node: Int?)? {
    for index in nodes[node].indices where nodes[node][index].isNamed(key) {
      let below = nodes[node][index].node
      return (nodes[node][index].value, below == 0 ? nil : below)
    }
    return nil
  }

  /// The target of the first item of a list.
  func first(of node: Int) -> Int? { nodes[node].first { $0.key == [UInt8(ascii: "0")] }?.node }
}
