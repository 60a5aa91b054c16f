import SondeRecords
import TestSupport
import Testing

@testable import SondeDatabases

@Suite struct MaxMindDatabaseTests {
  typealias Value = MaxMindFile.Value

  private static func names(_ english: String) -> Value {
    .map(["names": .map(["de": .text("(de)"), "en": .text(english), "fr": .text("(fr)")])])
  }

  private static let city = Value.map([
    "city": .map(["geoname_id": .unsigned32(2_643_743), "names": .map(["en": .text("London")])]),
    "continent": .map(["code": .text("EU"), "names": .map(["en": .text("Europe")])]),
    "country": .map(["iso_code": .text("GB"), "names": .map(["en": .text("United Kingdom")])]),
    "location": .map([
      "accuracy_radius": .unsigned16(10), "latitude": .double(51.5142),
      "longitude": .double(-0.0931), "time_zone": .text("Europe/London"),
    ]),
    "postal": .map(["code": .text("OX1")]),
    "registered_country": .map(["iso_code": .text("US")]),
    "subdivisions": .list([
      .map(["iso_code": .text("ENG"), "names": .map(["en": .text("England")])]),
      .map(["iso_code": .text("WBK"), "names": .map(["en": .text("West Berkshire")])]),
    ]),
  ])

  private static let cityFields = [
    "countryCode": "GB", "country": "United Kingdom", "continentCode": "EU", "region": "England",
    "regionCode": "ENG", "city": "London", "postalCode": "OX1", "latitude": "51.5142",
    "longitude": "-0.0931", "timezone": "Europe/London", "accuracyRadius": "10",
    "registeredCountryCode": "US",
  ]

  /// A layout, a record of it, and what it says.
  struct Layout: CustomTestStringConvertible {
    let type: String
    let record: Value
    let fields: [String: String]
    var testDescription: String { type }
  }

  private static let layouts = [
    Layout(type: "GeoLite2-City", record: city, fields: cityFields),
    Layout(
      type: "GeoLite2-Country",
      record: .map([
        "continent": .map(["code": .text("EU")]),
        "country": .map(["iso_code": .text("SE"), "names": .map(["en": .text("Sweden")])]),
      ]),
      fields: ["countryCode": "SE", "country": "Sweden", "continentCode": "EU"]
    ),
    Layout(
      type: "GeoLite2-ASN",
      record: .map([
        "autonomous_system_number": .unsigned32(1221),
        "autonomous_system_organization": .text("Telstra Pty Ltd"),
      ]),
      fields: ["asn": "1221", "asName": "Telstra Pty Ltd"]
    ),
    Layout(
      type: "GeoIP2-ISP",
      record: .map([
        "autonomous_system_number": .unsigned32(1221), "isp": .text("Telstra Internet"),
        "organization": .text("Telstra"),
      ]),
      fields: ["asn": "1221", "isp": "Telstra Internet", "org": "Telstra"]
    ),
    Layout(
      type: "GeoIP2-Anonymous-IP",
      record: .map(["is_anonymous": .flag(true), "is_anonymous_vpn": .flag(true)]),
      fields: [
        "proxy": "true", "hosting": "false", "tor": "false", "vpn": "true", "relay": "false",
      ]
    ),
    Layout(
      type: "GeoIP2-Anonymous-IP, hosting",
      record: .map(["is_anonymous": .flag(true), "is_hosting_provider": .flag(true)]),
      fields: [
        "proxy": "false", "hosting": "true", "tor": "false", "vpn": "false", "relay": "false",
      ]
    ),
    Layout(
      type: "GeoIP2-Anonymous-IP, residential",
      record: .map(["is_residential_proxy": .flag(true), "is_tor_exit_node": .flag(false)]),
      fields: [
        "proxy": "true", "hosting": "false", "tor": "false", "vpn": "false", "relay": "false",
      ]
    ),
    Layout(
      type: "one member about anonymity, in any file",
      record: .map(["country_code": .text("AT"), "is_tor_exit_node": .flag(true)]),
      fields: [
        "countryCode": "AT", "country": "Austria", "proxy": "true", "hosting": "false",
        "tor": "true", "vpn": "false", "relay": "false",
      ]
    ),
    Layout(
      type: "radii: none without a position, and none that is impossible",
      record: .map(["country_code": .text("AT"), "radius": .unsigned16(10)]),
      fields: ["countryCode": "AT", "country": "Austria"]
    ),
    Layout(
      type: "an impossible radius",
      record: .map([
        "latitude": .double(1), "longitude": .double(2), "radius": .unsigned32(20_039),
      ]),
      fields: ["latitude": "1.0", "longitude": "2.0"]
    ),
    Layout(
      type: "DBIP-Location-ISP",
      record: .map([
        "country": .map([
          "is_in_european_union": .flag(true), "iso_code": .text("FR"),
          "names": .map(["en": .text("France")]),
        ]),
        "traits": .map([
          "autonomous_system_number": .unsigned32(3215),
          "autonomous_system_organization": .text("Orange"), "connection_type": .text("cellular"),
          "isp": .text("Orange S.A."), "organization": .text("Wanadoo"),
        ]),
      ]),
      fields: [
        "countryCode": "FR", "country": "France", "asn": "3215", "asName": "Orange",
        "isp": "Orange S.A.", "org": "Wanadoo",
      ]
    ),
    Layout(
      type: "ipinfo lite",
      record: .map([
        "as_domain": .text("cloudflare.com"), "as_name": .text("Cloudflare, Inc."),
        "asn": .text("AS13335"), "continent": .text("Oceania"), "continent_code": .text("OC"),
        "country": .text("Australia"), "country_code": .text("AU"),
      ]),
      fields: [
        "asn": "13335", "asName": "Cloudflare, Inc.", "continentCode": "OC", "country": "Australia",
        "countryCode": "AU",
      ]
    ),
    Layout(
      type: "ipinfo core",
      record: .map([
        "as_name": .text("Example"), "asn": .text("AS64500"), "city": .text("Graz"),
        "country": .text("Austria"), "country_code": .text("AT"), "is_anonymous": .flag(false),
        "is_hosting": .flag(true), "is_mobile": .flag(false), "latitude": .double(47.0707),
        "longitude": .double(15.4395), "postal_code": .text("8010"), "region": .text("Styria"),
        "region_code": .text("6"), "timezone": .text("Europe/Vienna"),
      ]),
      fields: [
        "asn": "64500", "asName": "Example", "city": "Graz", "country": "Austria",
        "countryCode": "AT", "proxy": "false", "hosting": "true", "mobile": "false",
        "tor": "false", "vpn": "false", "relay": "false",
        "latitude": "47.0707", "longitude": "15.4395", "postalCode": "8010", "region": "Styria",
        "regionCode": "6", "timezone": "Europe/Vienna",
      ]
    ),
    Layout(
      type: "ipinfo plus",
      record: .map([
        "carrier_name": .text("Example Mobile"), "country": .text("Austria"),
        "country_code": .text("AT"), "geoname_id": .text("2778067"), "is_mobile": .flag(true),
        "is_proxy": .flag(false), "is_tor": .flag(true), "is_vpn": .flag(false),
        "latitude": .double(47), "longitude": .double(15), "radius": .text("50"),
      ]),
      fields: [
        "country": "Austria", "countryCode": "AT", "mobile": "true", "proxy": "true",
        "hosting": "false", "tor": "true", "vpn": "false", "relay": "false", "latitude": "47.0",
        "longitude": "15.0", "accuracyRadius": "50",
      ]
    ),
    Layout(
      type: "ipinfo generic_country_asn",
      record: .map([
        "as_domain": .text("telstra.com"), "as_name": .text("Telstra"), "asn": .text("AS1221"),
        "continent": .text("OC"), "continent_name": .text("Oceania"), "country": .text("AU"),
        "country_name": .text("Australia"),
      ]),
      fields: [
        "asn": "1221", "asName": "Telstra", "continentCode": "OC", "country": "Australia",
        "countryCode": "AU",
      ]
    ),
    Layout(
      type: "ipinfo standard_location",
      record: .map([
        "city": .text("Graz"), "country": .text("AT"), "lat": .text("47.07"), "lng": .text("15.44"),
        "postal_code": .text(""),
      ]),
      fields: [
        "city": "Graz", "countryCode": "AT", "country": "Austria", "latitude": "47.07",
        "longitude": "15.44",
      ]
    ),
    Layout(
      type: "ipinfo generic_asn",
      record: .map([
        "asn": .text("AS1221"), "domain": .text("telstra.com"), "name": .text("Telstra"),
      ]),
      fields: ["asn": "1221", "asName": "Telstra"]
    ),
    Layout(
      type: "ipinfo privacy",
      record: .map([
        "hosting": .text(""), "proxy": .text(""), "relay": .text(""), "tor": .text(""),
        "vpn": .text("true"),
      ]),
      fields: [
        "hosting": "false", "proxy": "true", "tor": "false", "vpn": "true", "relay": "false",
      ]
    ),
    Layout(
      type: "a number as an integer, and no flag",
      record: .map(["asn": .unsigned32(4_294_967_294), "name": .text("Last")]),
      fields: ["asn": "4294967294", "asName": "Last"]
    ),
  ]

  @Test(arguments: layouts) func `each layout gives its fields`(layout: Layout) throws {
    var file = MaxMindFile(layout.type)
    file.add("81.2.69.0/24", layout.record)
    let expected = layout.fields.merging([
      "status": "ok", "source": "mmdb", "fetchedAt": "1700000000", "network": "81.2.69.0/24",
    ]) { field, _ in field }
    #expect(try answer(databases(file.bytes()), "81.2.69.142") == expected)
  }

  @Test(arguments: [24, 28, 32], [4, 6])
  func `each size of tree gives record and network`(recordSize: Int, ipVersion: Int) throws {
    var file = MaxMindFile(recordSize: recordSize, ipVersion: ipVersion)
    file.add("0.0.0.0/1", .map(["country": .text("US")]))
    file.add("81.2.69.0/24", .map(["country": .text("GB")]))
    file.add("81.2.69.142/31", .map(["country": .text("SE")]))
    if ipVersion == 6 { file.add("2001:1700::/27", .map(["country": .text("CH")])) }
    let databases = try databases(file.bytes())
    let texts = ["81.2.69.143", "81.2.69.1", "81.3.0.0", "200.0.0.1", "2001:1700::1", "3000::1"]
    let answers = texts.map { answer(databases, $0) }
    #expect(
      answers.map { $0["countryCode"] } == [
        "SE", "GB", "US", nil, ipVersion == 6 ? "CH" : nil, nil,
      ]
    )
    #expect(answers[0]["network"] == "81.2.69.142/31")
    // The more specific network splits it.
    #expect(answers[1]["network"] == "81.2.69.0/25")
    #expect(answers[4]["network"] == (ipVersion == 6 ? "2001:1700::/27" : nil))
    #expect(databases.warnings == [])
  }

  @Test func `an IPv4 address in a block wider than IPv4 shows the tree's own block`() throws {
    var file = MaxMindFile()
    file.add("::/64", .map(["country": .text("US")]))
    #expect(try answer(databases(file.bytes()), "1.1.1.1")["network"] == "::/64")
  }

  @Test func `pointers are followed, to keys, texts and maps alike`() throws {
    var file = MaxMindFile()
    let names = file.nextOffset
    file.add("1.0.0.0/8", .map(["en": .text("Sweden")]))
    let key = file.nextOffset
    file.add("2.0.0.0/8", .text("iso_code"))
    let code = file.nextOffset
    file.add("3.0.0.0/8", .text("SE"))
    let country = file.nextOffset
    // Written by hand, as the key is a pointer too.
    var map: [UInt8] = []
    MaxMindFile.head(7, 2, to: &map)
    MaxMindFile.encode(.pointer(key), to: &map)
    MaxMindFile.encode(.pointer(code), to: &map)
    MaxMindFile.encode(.text("names"), to: &map)
    MaxMindFile.encode(.pointer(names), to: &map)
    file.add("4.0.0.0/8", .raw(map))
    file.add("5.0.0.0/8", .list([.text(String(repeating: "x", count: 600_000))]))
    let far = file.nextOffset
    file.add("6.0.0.0/8", .text("Kiruna"))
    file.add(
      "7.0.0.0/8",
      .map(["country": .pointer(country), "city": .map(["names": .map(["en": .pointer(far)])])])
    )
    let fields = try answer(databases(file.bytes()), "7.1.1.1")
    #expect(fields["countryCode"] == "SE")
    #expect(fields["country"] == "Sweden")
    #expect(fields["city"] == "Kiruna")
  }

  @Test func `texts of every length of size are read or skipped`() throws {
    var file = MaxMindFile()
    let sizes = [1, 28, 29, 284, 285, 1024]
    for (index, size) in sizes.enumerated() {
      let filler = Value.text(String(repeating: "f", count: size * 70))
      let city = Value.text(String(repeating: "c", count: size))
      file.add("\(index + 1).0.0.0/8", .map(["filler": filler, "city": city]))
    }
    let databases = try databases(file.bytes())
    #expect(sizes.indices.map { answer(databases, "\($0 + 1).0.0.1")["city"]?.count } == sizes)
  }

  @Test func `a text over a kilobyte is cut at a character, and the database is sound`() throws {
    let texts = [
      (String(repeating: "x", count: 1025), 1024), (String(repeating: "é", count: 513), 1024),
      ("x" + String(repeating: "é", count: 512), 1023),
      (String(repeating: "x", count: 1_000_000), 1024),
    ]
    for (text, length) in texts {
      var file = MaxMindFile()
      file.add(
        "1.0.0.0/8",
        .map(["city": .text(text), "country_code": .text("SE"), "as_name": .text(text)])
      )
      let databases = try databases(file.bytes())
      let fields = answer(databases, "1.0.0.1")
      #expect((fields["status"], fields["countryCode"]) == ("ok", "SE"))
      #expect(fields["city"] == text.confined && fields["city"]?.utf8.count == length)
      #expect(fields["asName"] == fields["city"])
      #expect(databases.warnings == [])
    }
  }

  @Test func `what makes no sense is left out`() throws {
    var file = MaxMindFile()
    file.add(
      "1.0.0.0/8",
      .map([
        "country_code": .text("Sweden"), "latitude": .double(91), "longitude": .double(0),
        "asn": .text("AS-1"), "city": .unsigned32(7), "region": .text("Scania"),
      ])
    )
    file.add("2.0.0.0/8", .map(["latitude": .double(.nan), "longitude": .double(.infinity)]))
    file.add("3.0.0.0/8", .map(["represented_country": .map(["iso_code": .text("US")])]))
    let databases = try databases(file.bytes())
    #expect(
      answer(databases, "1.0.0.1") == [
        "status": "ok", "source": "mmdb", "fetchedAt": "1700000000", "region": "Scania",
        "network": "1.0.0.0/8",
      ]
    )
    for (text, path) in [("2.0.0.1", "latitude"), ("3.0.0.1", "represented_country.iso_code")] {
      let fields = answer(databases, text)
      #expect(fields["status"] == "unknown" && fields["message"]?.contains(path) == true)
      #expect(fields.count == 2)
    }
  }

  @Test func `text that is not UTF-8 is repaired`() throws {
    var text: [UInt8] = []
    MaxMindFile.head(2, 4, to: &text)
    var file = MaxMindFile()
    file.add("1.0.0.0/8", .map(["city": .raw(text + [0x41, 0xff, 0xc3, 0xa4])]))
    #expect(try answer(databases(file.bytes()), "1.0.0.1")["city"] == "A\u{fffd}ä")
  }

  @Test func `addresses that share an entry share its texts, each with its network`() throws {
    var file = MaxMindFile()
    file.add("1.0.0.0/8", Self.city)
    let databases = try databases(file.bytes())
    let block = databases.lookUp([address("1.0.0.1"), address("1.2.3.4")])
    #expect(block.records[0][.city] == block.records[1][.city])
    let answers = block.records.map { fields(of: $0, in: block) }
    #expect(answers[0] == answers[1])
    #expect(block.records.map(\.address) == [address("1.0.0.1"), address("1.2.3.4")])
  }
}
