import SondeCatalog
import SondeLists
import TestSupport
import Testing

@testable import SondeOptions
@testable import SondeSources

@Suite struct PublishedDatabaseTests {
  private func urls(_ name: String, _ year: Int, _ month: Int, at base: String? = nil) -> [String] {
    PublishedDatabase(name: name)?.urls(at: base, year: year, month: month) ?? []
  }

  @Test func `a database of each month is looked for in this one and the one before`() {
    let start = "https://download.db-ip.com/free/dbip-city-lite-"
    let ending = ".mmdb.gz"
    #expect(urls("dbip", 2026, 11) == [start + "2026-11" + ending, start + "2026-10" + ending])
    #expect(urls("dbip", 2027, 1) == [start + "2027-01" + ending, start + "2026-12" + ending])
    #expect(urls("dbip", 2026, 10).last == start + "2026-09" + ending)
  }

  @Test func `at a mirror, the host begins the path`() {
    #expect(
      urls("geolite", 2026, 11, at: "http://127.0.0.1:9/m") == [
        "http://127.0.0.1:9/m/download.maxmind.com/geoip/databases/GeoLite2-City/download?suffix=tar.gz"
      ]
    )
    #expect(urls("ipinfo_lite", 2026, 11) == ["https://ipinfo.io/data/ipinfo_lite.mmdb"])
  }

  @Test func `a database is of the type that its name promises`() {
    let types = [
      "DBIP-City-Lite", "GeoLite2-City", "ipinfo bundle_location_lite.mmdb", "DBIP-Country-Lite",
      "DBIP-ASN-Lite (compat=GeoLite2-ASN)", "GeoLite2-ASN", "GeoLite2-Country", "GeoIP2-City",
      "ipinfo bundle_location_core.mmdb", "ipinfo generic_asn_free.mmdb", "lite", "",
    ]
    for (number, name) in ["dbip", "geolite", "ipinfo_lite"].enumerated() {
      let database = PublishedDatabase(name: name)
      #expect(types.filter { database?.isType($0) == true } == [types[number]])
    }
  }

  @Test func `the settings of all accounts are those of tables`() {
    let settings = PublishedDatabase.all.flatMap { $0.credential?.settings ?? [] }
    #expect(settings == ["maxmind-account", "maxmind-key", "ipinfo-token"])
    for name in settings {
      let setting = Setting.all.first { $0.name == name && $0.commands.contains(.tables) }
      #expect(setting?.isSecret == true && setting?.places == [.environment, .file])
    }
  }

  @Test func `a path is a database's in a folder of tables alone`() {
    #expect(PublishedDatabase(path: "/home/a/.local/state/sonde/tables/dbip")?.name == "dbip")
    for path in ["/a/tables/dbip", "/a/sonde/tables/dbip.mmdb", "dbip", "/sonde/tables/tor"] {
      #expect(PublishedDatabase(path: path) == nil)
    }
  }

  @Test func `what is known of a database is read again, and nothing else is`() {
    let stored = StoredDatabase(fetchedAt: 5, rows: 7, built: -3, entityTag: "W/\"a b\"", size: 9)
    #expect(StoredDatabase(stored.description) == stored)
    for text in [
      "", "\n", "sonde-database-1 1 2 3 4 x", "sonde-database-2 1 2 3 4 x\n", "1 2 3 4\n",
    ] {
      #expect(StoredDatabase(Array(text.utf8)) == nil)
    }
  }
}
