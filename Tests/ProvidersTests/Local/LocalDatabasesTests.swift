import Foundation
import SondeRecords
import TestSupport
import Testing

@testable import SondeDatabases

@Suite struct LocalDatabasesTests {
  typealias Value = MaxMindFile.Value

  private static func file(
    date: UInt64 = 1_700_000_000,
    _ networks: KeyValuePairs<String, Value>
  ) -> [UInt8] {
    var file = MaxMindFile()
    file.buildDate = date
    for (network, record) in networks { file.add(network, record) }
    return file.bytes()
  }

  @Test func `each group comes from the first that has it, with that one's date and network`()
    throws
  {
    let places = Self.file(
      date: 1_600_000_000,
      [
        "1.2.3.0/24": .map([
          "country_code": .text("SE"), "country": .text("Sweden"), "city": .text("Lund"),
          "latitude": .double(55.7), "longitude": .double(13.2),
        ])
      ]
    )
    let systems = Self.file(
      date: 1_500_000_000,
      [
        "1.0.0.0/8": .map([
          "country_code": .text("NO"), "country": .text("Norway"), "continent_code": .text("EU"),
          "city": .text("Oslo"), "timezone": .text("Europe/Oslo"), "asn": .text("AS64500"),
          "as_name": .text("Example"), "isp": .text("Example ISP"),
        ])
      ]
    )
    let expected = [
      "status": "ok", "source": "mmdb", "countryCode": "SE", "country": "Sweden", "city": "Lund",
      "latitude": "55.7", "longitude": "13.2", "asn": "64500", "asName": "Example",
      "isp": "Example ISP", "fetchedAt": "1600000000", "network": "1.2.3.0/24",
    ]
    var fields = try answer(databases(places, systems), "1.2.3.4")
    #expect(fields.removeValue(forKey: "message")?.hasSuffix(" says NO") == true)
    #expect(fields == expected)
    let other = try answer(databases(systems, places), "1.2.3.4")
    #expect(other["countryCode"] == "NO")
    #expect(other["city"] == "Oslo")
    #expect(other["latitude"] == nil)
    #expect(other["fetchedAt"] == "1500000000")
    #expect(other["network"] == "1.0.0.0/8")
  }

  @Test func `a place is of the record's country, and other countries are in the message`() throws {
    func place(_ code: String, _ city: String = "") -> [UInt8] {
      Self.file(["1.0.0.0/8": .map(["country_code": .text(code), "city": .text(city)])])
    }
    let files = [
      place("GB"), place("FR", "Paris"), place("GB", "Leeds"), place("DE", "Bonn"),
      place("", "Anywhere"),
    ]
    let names = ["a.mmdb", "b.mmdb", "c.mmdb", "d.mmdb", "e.mmdb"]
    let folder = try ScratchFolder()
    let paths = try zip(names, files).map { name, bytes in
      let path = folder.file(name)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return path
    }
    let table: [([Int], String, String, String, String?)] = [
      ([0, 1, 2], "GB", "United Kingdom", "Leeds", "a.mmdb says GB, b.mmdb says FR"),
      ([0, 1], "GB", "United Kingdom", "", "a.mmdb says GB, b.mmdb says FR"),
      ([1, 0], "FR", "France", "Paris", "b.mmdb says FR, a.mmdb says GB"),
      ([0, 2], "GB", "United Kingdom", "Leeds", nil),
      ([4, 0, 2], "GB", "United Kingdom", "Leeds", nil),
      ([4, 0], "GB", "United Kingdom", "", nil),
      ([0, 4], "GB", "United Kingdom", "", nil),
      (
        [3, 0, 1, 2], "DE", "Germany", "Bonn",
        "d.mmdb says DE, a.mmdb says GB, b.mmdb says FR, c.mmdb says GB"
      ),
    ]
    for (order, code, country, city, message) in table {
      let fields = answer(try LocalDatabases(paths: order.map { paths[$0] }), "1.2.3.4")
      #expect(fields["status"] == "ok")
      #expect(fields["countryCode"] == code && fields["country"] == country)
      #expect(fields["city"] ?? "" == city && fields["message"] == message)
    }
  }

  @Test func `an answer names the databases of its place and of its AS, and their days`() throws {
    let folder = try ScratchFolder()
    func file(_ name: String, _ day: UInt64, _ record: MaxMindFile.Value) throws -> String {
      let path = folder.file(name)
      let bytes = Self.file(date: 1_699_920_000 + day * 86_400 - 1, ["1.0.0.0/8": record])
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return path
    }
    let country = try file("country.mmdb", 1, .map(["country_code": .text("SE")]))
    let system = try file("system.mmdb", 2, .map(["asn": .text("AS1"), "as_name": .text("One")]))
    let city = try file(
      "city.mmdb",
      3,
      .map(["country_code": .text("SE"), "city": .text("Lund"), "asn": .text("AS2")])
    )
    let other = try file(
      "other.mmdb",
      4,
      .map(["country_code": .text("NO"), "city": .text("Oslo")])
    )
    let flags = try file("flags.mmdb", 5, .map(["is_tor": .flag(true)]))
    let (first, second) = (["country.mmdb", "2023-11-14"], ["system.mmdb", "2023-11-15"])
    let third = ["city.mmdb", "2023-11-16"]
    let none = ["-", "-"]
    let table: [([String], [String])] = [
      ([country], first + none), ([system], none + second), ([city], third + third),
      ([flags], none + none), ([country, system], first + second),
      ([system, country], first + second),
      ([country, system, city], third + second), ([country, city], third + third),
      ([country, other], first + none), ([flags, country], first + none),
    ]
    for (paths, expected) in table {
      for tables in [nil, CompiledDatabases(folder: nil, threshold: 0)] {
        let databases = try LocalDatabases(paths: paths, tables: tables)
        for _ in 0..<2 { #expect(origins(databases, "1.2.3.4") == expected) }
        #expect(origins(databases, "9.9.9.9") == none + none)
      }
    }
  }

  @Test func `any kind of anonymity makes a proxy, whichever database names it`() throws {
    let vague = Self.file(["1.0.0.0/8": .map(["is_anonymous": .flag(false)])])
    let exact = Self.file(["1.0.0.0/8": .map(["is_tor": .flag(true)])])
    #expect(try answer(databases(vague), "1.2.3.4")["tor"] == nil)
    for files in [[vague, exact], [exact, vague]] {
      let fields = try answer(databases(files[0], files[1]), "1.2.3.4")
      #expect(fields["proxy"] == "true" && fields["tor"] == "true" && fields["vpn"] == "false")
    }
  }

  @Test func `an entry without any field is unknown, and says what it has`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("own.mmdb")
    let file = Self.file([
      "1.0.0.0/8": .map([
        "risk": .map(["score": .double(0.5)]), "zone": .text("x"), "kind": .text("y"),
        "more": .text("z"),
      ]),
      "2.0.0.0/8": .map(["country_code": .text("SE"), "risk": .text("x")]),
      "3.0.0.0/8": .map([:]),
    ])
    try Data(file).write(to: URL(fileURLWithPath: path))
    let words =
      "own.mmdb has kind, more, risk.score about it, but no field: "
      + "add --with NAME=own.mmdb"
    for tables in [nil, CompiledDatabases(folder: nil, threshold: 0)] {
      let databases = try LocalDatabases(paths: [path], tables: tables)
      for _ in 0..<2 {
        #expect(answer(databases, "1.2.3.4") == ["status": "unknown", "message": words])
        #expect(answer(databases, "2.2.3.4")["message"] == nil)
        #expect(answer(databases, "3.2.3.4") == ["status": "unknown"])
      }
    }
    let other = folder.file("other.mmdb")
    try Data(Self.file(["1.0.0.0/9": .map(["asn": .text("AS1")])])).write(
      to: URL(fileURLWithPath: other)
    )
    for paths in [[path, other], [other, path]] {
      let databases = try LocalDatabases(paths: paths)
      #expect(answer(databases, "1.2.3.4")["status"] == "ok")
      #expect(answer(databases, "1.2.3.4")["message"] == nil)
      #expect(answer(databases, "1.200.0.0") == ["status": "unknown", "message": words])
    }
  }

  @Test func `a continent or a region alone gives way to a country and a place`() throws {
    let vague = Self.file([
      "1.0.0.0/8": .map(["continent_code": .text("AS"), "region": .text("Somewhere")])
    ])
    let exact = Self.file([
      "1.0.0.0/8": .map(["country_code": .text("SE"), "city": .text("Lund")])
    ])
    let fields = try answer(databases(vague, exact), "1.2.3.4")
    #expect(fields["countryCode"] == "SE")
    #expect(fields["continentCode"] == nil)
    #expect(fields["city"] == "Lund")
    #expect(fields["region"] == nil)
    #expect(try answer(databases(exact, vague), "1.2.3.4")["continentCode"] == nil)
    #expect(try answer(databases(vague), "1.2.3.4")["continentCode"] == "AS")
  }

  @Test func `an AS name is taken for the same AS only`() throws {
    let number = Self.file(["1.0.0.0/8": .map(["asn": .text("AS1")])])
    let same = Self.file(["1.0.0.0/8": .map(["asn": .text("AS1"), "as_name": .text("One")])])
    let another = Self.file(["1.0.0.0/8": .map(["asn": .text("AS2"), "as_name": .text("Two")])])
    #expect(try answer(databases(number, same), "1.1.1.1")["asName"] == "One")
    let fields = try answer(databases(number, another), "1.1.1.1")
    #expect(fields["asn"] == "1")
    #expect(fields["asName"] == nil)
  }

  @Test func `source, date and network are of the first that contributed`() throws {
    let loc = try LibLocFile(networks: [.init(block: "2.0.0.0/8", country: "FR")]).bytes()
    let city = Self.file(["1.0.0.0/8": .map(["country": .text("SE")])])
    let databases = try databases(loc, city)
    #expect(answer(databases, "1.1.1.1")["source"] == "mmdb")
    #expect(answer(databases, "1.1.1.1")["fetchedAt"] == "1700000000")
    #expect(answer(databases, "2.1.1.1")["source"] == "libloc")
    #expect(answer(databases, "3.1.1.1") == ["status": "unknown"])
  }

  @Test func `only a database that gave something has answered`() throws {
    let loc = try LibLocFile(networks: [.init(block: "1.0.0.0/8", country: "FR")]).bytes()
    let city = Self.file(["1.0.0.0/8": .map(["country": .text("SE")])])
    let databases = try databases(loc, city)
    #expect(databases.builds.map(\.hasAnswered) == [false, false])
    _ = databases.lookUp([address("9.9.9.9")])
    #expect(databases.builds.map(\.hasAnswered) == [false, false])
    _ = databases.lookUp([address("1.1.1.1")])
    #expect(databases.builds.map(\.hasAnswered) == [true, false])
  }

  @Test func `records keep the order and number of the addresses`() throws {
    let databases = try databases(Self.file(["1.0.0.0/8": .map(["country": .text("SE")])]))
    let addresses = ["9.9.9.9", "1.1.1.1", "1.1.1.1", "::1", "1.0.0.0"].map(address)
    let block = databases.lookUp(addresses)
    #expect(block.records.map(\.address) == addresses)
    #expect(block.records.map(\.status) == [.unknown, .ok, .ok, .unknown, .ok])
    #expect(block.records.map(\.source) == [nil, .mmdb, .mmdb, nil, .mmdb])
    #expect(databases.lookUp([]).records.isEmpty)
  }
}

@Suite struct DatabaseErrorTests {
  private func reason(_ path: String) -> DatabaseError.Reason? {
    do throws(DatabaseError) {
      _ = try LocalDatabases(paths: [path])
      return nil
    } catch {
      #expect(error.path == path)
      #expect(error.description.hasPrefix("\(path): "))
      return error.reason
    }
  }

  @Test func `what is no database is told apart`() throws {
    #expect(reason("/no/such/file") == .unreadable(errno: 2))
    #expect(reason("/") == .unreadable(errno: 21))
    #expect(reason("/dev/null") == .notAFile)
    let empty = try ScratchFile([])
    #expect(reason(empty.path) == .empty)
    let text = try ScratchFile(Array("8.8.8.8,US\n".utf8))
    #expect(reason(text.path) == .unrecognised)
    let short = try ScratchFile(Array("LOCDBXX".utf8))
    #expect(reason(short.path) == .damaged("it is cut short"))
  }

  @Test func `a missing file is named in words`() {
    let error = DatabaseError(path: "/no/such/file", reason: .unreadable(errno: 2))
    #expect(error.description == "/no/such/file: No such file or directory")
  }

  @Test func `a libloc file of another version is refused`() throws {
    var bytes = try LibLocFile(networks: [.init(block: "1.0.0.0/8", country: "FR")]).bytes()
    bytes[7] = 2
    let file = try ScratchFile(bytes)
    #expect(reason(file.path) == .damaged("its format version is not known"))
  }

  @Test func `a libloc file cut anywhere is refused`() throws {
    let bytes = try LibLocFile(networks: [.init(block: "1.0.0.0/8", country: "FR")]).bytes()
    for size in stride(from: 8, to: bytes.count, by: 61) {
      let file = try ScratchFile(Array(bytes[..<size]))
      guard case .damaged = reason(file.path) else {
        Issue.record("\(size) bytes of \(bytes.count) were accepted")
        continue
      }
    }
  }

  @Test func `an MMDB file cut anywhere is refused`() throws {
    var builder = MaxMindFile()
    builder.add("1.0.0.0/8", .map(["country": .text("SE")]))
    let bytes = builder.bytes()
    for size in 1..<bytes.count {
      let file = try ScratchFile(Array(bytes[..<size]))
      #expect(reason(file.path) != nil, "\(size) bytes of \(bytes.count) were accepted")
    }
  }
}
