import CSondeLoc
import Glibc
import SondeRecords
import TestSupport
import Testing

@testable import SondeDatabases

@Suite struct LibLocDatabaseTests {
  private static let file = LibLocFile(
    networks: [
      .init(block: "8.8.8.0/24", country: "US", asn: 15169),
      .init(block: "8.8.8.8/32", country: "US", asn: 15169, flags: proxy),
      .init(block: "2001:4860::/32", country: "US", asn: 15169),
      .init(block: "2001:db8::1/128", country: "ZZ"),
      .init(block: "9.0.0.0/8", asn: 64500),
      .init(block: "11.0.0.0/8", flags: drop),
      .init(block: "12.0.0.0/8", flags: proxy),
      .init(block: "81.2.64.0/18", country: "GB", asn: 20712),
      .init(block: "81.2.69.0/24", country: "DE", asn: 20712),
    ],
    systems: [15169: "GOOGLE", 20712: "Andrews & Arnold Ltd"],
    countries: ["GB": ("EU", "United Kingdom"), "US": ("NA", "United States of America")]
  )

  private static let proxy = LOC_NETWORK_FLAG_ANONYMOUS_PROXY.rawValue
  private static let drop = LOC_NETWORK_FLAG_DROP.rawValue

  @Test func `an address gets country, AS, network and the build date`() throws {
    let before = time(nil)
    let databases = try databases(Self.file.bytes())
    var fields = answer(databases, "8.8.8.1")
    let date = try #require(fields.removeValue(forKey: "fetchedAt").flatMap { Int($0) })
    #expect((before...time(nil)).contains(date))
    #expect(databases.builds.map(\.date) == [Int64(date)])
    #expect(
      fields == [
        "status": "ok", "source": "libloc", "countryCode": "US",
        "country": "United States", "continentCode": "NA", "asn": "15169",
        "asName": "GOOGLE", "network": "8.8.8.0/24",
      ]
    )
  }

  @Test func `the most specific network answers`() throws {
    let databases = try databases(Self.file.bytes())
    #expect(answer(databases, "81.2.64.1")["countryCode"] == "GB")
    #expect(answer(databases, "81.2.69.1")["countryCode"] == "DE")
    #expect(answer(databases, "81.2.69.1")["network"] == "81.2.69.0/24")
  }

  @Test func `IPv6 and networks of one address are found`() throws {
    let databases = try databases(Self.file.bytes())
    #expect(answer(databases, "2001:4860:4860::8888")["network"] == "2001:4860::/32")
    #expect(answer(databases, "2001:db8::1")["network"] == "2001:db8::1/128")
    #expect(answer(databases, "8.8.8.8")["network"] == "8.8.8.8/32")
  }

  @Test func `the flag of anonymous proxies says proxy, and nothing else says it is none`() throws {
    let databases = try databases(Self.file.bytes())
    #expect(answer(databases, "8.8.8.8")["proxy"] == "true")
    #expect(answer(databases, "12.1.1.1")["proxy"] == "true")
    #expect(answer(databases, "8.8.8.1")["proxy"] == nil)
  }

  @Test func `a code or number without a name stands alone`() throws {
    let databases = try databases(Self.file.bytes())
    let country = answer(databases, "2001:db8::1")
    #expect(country["countryCode"] == "ZZ")
    #expect(country["country"] == nil)
    let system = answer(databases, "9.9.9.9")
    #expect(system["asn"] == "64500")
    #expect(system["asName"] == nil)
    #expect(system["countryCode"] == nil)
  }

  @Test func `a network with neither country nor AS is unknown`() throws {
    let databases = try databases(Self.file.bytes())
    #expect(answer(databases, "11.1.1.1") == ["status": "unknown"])
  }

  @Test func `an address of no network is unknown, without a warning`() throws {
    let databases = try databases(Self.file.bytes())
    for text in ["10.0.0.1", "127.0.0.1", "224.0.0.1", "::1", "255.255.255.255", "ff02::1"] {
      #expect(answer(databases, text) == ["status": "unknown"], "\(text)")
    }
    #expect(databases.warnings == [])
  }

  @Test func `a country's texts are written once a block`() throws {
    let databases = try databases(Self.file.bytes())
    let block = databases.lookUp([address("8.8.8.1"), address("2001:4860::1"), address("8.8.8.2")])
    #expect(Set(block.records.map(\.[.country].offset)).count == 1)
    #expect(
      block.records.map { block.text(.country, of: $0) }
        == [String](repeating: "United States", count: 3)
    )
  }

  @Test func `look-ups from many tasks at once agree`() async throws {
    let databases = try databases(Self.file.bytes())
    let addresses = ["8.8.8.1", "10.0.0.1", "81.2.69.1", "2001:4860::1"].map(address)
    let expected = ["US", nil, "DE", "US"]
    let answers = await withTaskGroup(of: [String?].self) { group in
      for _ in 0..<200 {
        group.addTask {
          let block = databases.lookUp(addresses)
          return block.records.map { block.text(.countryCode, of: $0) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 200)
    #expect(answers.filter { $0 != expected } == [])
  }

  @Test func `an AS name that is not UTF-8 is repaired`() throws {
    var bytes = try Self.file.bytes()
    let name = Array("GOOGLE".utf8)
    let start = try #require(
      bytes.indices.first { bytes[$0...].starts(with: name) }
    )
    bytes[start + 2] = 0xff
    #expect(try answer(databases(bytes), "8.8.8.1")["asName"] == "GO\u{fffd}GLE")
  }

  @Test(.enabled(if: LocalDatabases.defaultPaths.first != nil))
  func `the installed database opens and knows a public resolver`() throws {
    let path = try #require(LocalDatabases.defaultPaths.first)
    let databases = try LocalDatabases(paths: [path])
    #expect(answer(databases, "8.8.8.8")["asn"] == "15169")
  }
}

@Suite struct LevelOrderTests {
  private func accepts(_ nodes: [(Int, Int)]) -> Bool {
    var order = LevelOrder()
    return nodes.allSatisfy { order.accept(zero: $0.0, one: $0.1) }
  }

  @Test func `children numbered level by level are accepted`() {
    #expect(accepts([(1, 2), (0, 3), (4, 5), (0, 0), (0, 0), (0, 0)]))
  }

  @Test func `a loop, a skipped number and a node without a parent are refused`() {
    #expect(!accepts([(1, 0), (1, 0)]))
    #expect(!accepts([(1, 0), (0, 3)]))
    #expect(!accepts([(1, 0), (0, 0), (0, 0)]))
  }

  @Test func `128 levels are accepted and 129 are not`() {
    let chain = (1...128).map { ($0, 0) }
    #expect(accepts(chain + [(0, 0)]))
    #expect(!accepts(chain + [(129, 0)]))
  }
}
