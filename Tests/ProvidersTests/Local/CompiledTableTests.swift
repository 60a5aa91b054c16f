import SondeAddresses
import SondeRecords
import TestSupport
import Testing

@testable import SondeDatabases

/// A compiled table answers what the database's own library answers.
@Suite struct CompiledTableTests {
  typealias Value = MaxMindFile.Value

  /// The table and the library of the same file.
  private struct Pair {
    let library: any CompilableDatabase
    let table: CompiledDatabase

    init(path: String) throws {
      let file = try DatabaseFile(path: path)
      library = try TabledDatabase.open(file)
      table = try #require(
        try CompiledFolder.buildInMemory(library, of: file, identity: DatabaseIdentity(file))
      )
    }

    init(_ bytes: [UInt8]) throws {
      let scratch = try ScratchFile(bytes)
      self = try withExtendedLifetime(scratch) { try Pair(path: scratch.path) }
    }

    /// The addresses of which both say different things, and what.
    func differences(_ addresses: [Address]) throws -> [String] {
      var (expected, found) = (RecordBlock(), RecordBlock())
      let damage = DamageLog(path: "")
      expected.records = library.findings(of: addresses, bytes: &expected.bytes, noting: damage)
      #expect(damage.warning == nil)
      found.records = try table.findings(of: addresses, bytes: &found.bytes)
      #expect(found.records.map(\.address) == addresses)
      return addresses.indices.compactMap { index in
        let (left, right) = (expected.records[index], found.records[index])
        let both = (fields(of: left, in: expected), fields(of: right, in: found))
        return both.0 == both.1 ? nil : "\(addresses[index]): \(both.0) but \(both.1)"
      }
    }

    /// The first address of every range and the one before it.
    var borders: [Address] { table.starts.flatMap { [$0, Address(number: $0.number &- 1)] } }
  }

  /// Networks in networks, gaps, the ends of both families, and single addresses.
  private static func libLocFile() throws -> [UInt8] {
    try LibLocFile(
      networks: [
        .init(block: "0.0.0.0/8", country: "SE"),
        .init(block: "1.0.0.0/8", country: "SE", asn: 1),
        .init(block: "1.2.0.0/16", asn: 2),
        .init(block: "1.2.3.0/24", country: "GB", asn: 1),
        .init(block: "1.2.3.4/32", country: "US", asn: 5, flags: 1),
        .init(block: "1.2.4.0/24", country: "GB", asn: 1),
        .init(block: "1.2.5.0/24"),
        .init(block: "64.0.0.0/2", country: "US"),
        .init(block: "255.255.255.255/32", country: "GB"),
        .init(block: "2001:db8::/32", country: "SE", asn: 4),
        .init(block: "2001:db8::/48", country: "GB", asn: 5),
        .init(block: "2001:db8::1/128", country: "GB", asn: 5),
        .init(block: "2001:db8::3/128", country: "US", asn: 5),
        .init(block: "2001:db8:0:0:8000::/65", country: "US", asn: 5),
        .init(block: "4000::/2", country: "US"),
        .init(block: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", country: "SE"),
      ],
      systems: [1: "One", 2: "Two", 4: "Four", 5: "Five"],
      countries: ["GB": ("EU", "Britain"), "SE": ("EU", "Sweden"), "US": ("NA", "States")]
    )
    .bytes()
  }

  private static func maxMindFile(recordSize: Int = 24, ipVersion: Int = 6) -> MaxMindFile {
    var file = MaxMindFile("GeoLite2-City", recordSize: recordSize, ipVersion: ipVersion)
    let sweden = file.nextOffset
    let names = Value.map(["de": .text("Schweden"), "en": .text("Sweden")])
    file.add("1.0.0.0/8", .map(["country": .map(["iso_code": .text("SE"), "names": names])]))
    file.add("1.2.0.0/16", .map([:]))
    file.add(
      "1.2.3.0/24",
      .map([
        "city": .text("Lund"), "is_mobile": .flag(true), "hosting": .flag(false),
        "latitude": .double(55.7), "longitude": .double(-13.2), "asn": .unsigned32(7),
        "vpn": .flag(true), "radius": .unsigned16(50),
        "registered_country": .map(["iso_code": .text("NO")]),
      ])
    )
    file.add("1.2.3.4/32", .pointer(sweden))
    file.add("81.2.69.128/25", .map(["city": .text("\u{fffd}\u{00e9}")]))
    file.add("128.0.0.0/1", .pointer(sweden))
    guard ipVersion == 6 else { return file }
    file.add("2001:db8::/32", .pointer(sweden))
    file.add("2001:db8::42/128", .map(["country": .text("GB")]))
    file.add("2001:db8::43/128", .map(["country": .text("GB")]))
    file.add("c000::/2", .map(["country": .text("US")]))
    return file
  }

  static var files: [String: [UInt8]] {
    get throws {
      var wide = MaxMindFile()
      wide.add("::/1", .map(["country": .text("SE")]))
      wide.add("1.0.0.0/8", .map(["country": .text("GB")]))
      var whole = MaxMindFile()
      whole.add("::/3", .map(["country": .text("SE")]))
      var aliased = maxMindFile()
      for alias in ["2002::/16", "2001::/32", "64:ff9b::/96"] { aliased.alias(alias) }
      return [
        "libloc": try libLocFile(),
        "libloc, wide": try LibLocFile(
          networks: ["::/0", "::/1", "::/40", "::/80", "::ffc0:0:0/90", "1.0.0.0/8"].enumerated()
            .map { .init(block: $0.element, country: "SE", asn: UInt32($0.offset)) }
        ).bytes(),
        // More of them than are read at a time, on several levels.
        "libloc, many": try LibLocFile(
          networks: (0..<3000 as Range<UInt32>).map { number in
            let asn = number % 7
            guard number.isMultiple(of: 3) else {
              return .init(block: "5.\(number >> 8).\(number & 255).0/24", country: "SE", asn: asn)
            }
            let group = String(number, radix: 16)
            return .init(block: "2001:\(group)::/\(32 + number % 5)", country: "GB", asn: asn)
          }
        ).bytes(),
        "MMDB, 24": maxMindFile().bytes(), "MMDB, 28": maxMindFile(recordSize: 28).bytes(),
        "MMDB, 32": maxMindFile(recordSize: 32).bytes(),
        "MMDB, IPv4": maxMindFile(ipVersion: 4).bytes(), "MMDB, wide": wide.bytes(),
        "MMDB, whole": whole.bytes(), "MMDB, aliased": aliased.bytes(),
        "MMDB, empty": MaxMindFile().bytes(),
      ]
    }
  }

  @Test func `every range begins and ends where the library says, and random ones agree`() throws {
    for (name, bytes) in try Self.files {
      let pair = try Pair(bytes)
      let differences = try pair.differences(pair.borders + Self.randomAddresses)
      #expect(differences.isEmpty, "\(name): \(differences.prefix(3))")
    }
  }

  @Test func `what is said of addresses whose answers have one number differs in its network`()
    throws
  {
    for (name, bytes) in try Self.files {
      let (table, addresses) = (try Pair(bytes).table, Self.randomAddresses)
      var block = RecordBlock()
      block.records = try table.findings(of: addresses, bytes: &block.bytes)
      let numbers = try table.answerNumbers(of: addresses).numbers
      #expect(numbers.count == addresses.count)
      var known: [UInt32: [String: String]] = [:]
      for (number, record) in zip(numbers, block.records) {
        var said = fields(of: record, in: block)
        said["network"] = nil
        #expect(known[number] ?? said == said, "\(name)")
        known[number] = said
      }
      // Far fewer than addresses.
      #expect(known.count < 100, "\(name)")
    }
  }

  /// Random ones, many of them near the networks of the files.
  private static var randomAddresses: [Address] {
    var generator = SeededGenerator(seed: 3)
    let bases = [
      "1.2.3.4", "81.2.69.142", "2001:db8::", "2001::102:304", "2002:102:304::", "::1.2.3.4",
      "64:ff9b::1.2.3.4", "::", "c000::",
    ].map(address)
    return (0..<3000).map { index in
      let base = bases[index % bases.count]
      let bits = UInt128.random(in: 0 ... .max, using: &generator)
      let kept =
        base.isIPv4
        ? Int.random(in: 96...128, using: &generator) : Int.random(in: 0...128, using: &generator)
      return Address(number: base.number ^ (bits & (UInt128.max >> UInt128(kept))))
    }
  }

  @Test(.enabled(if: LocalDatabases.defaultPaths.first != nil))
  func `the real database answers the same at the borders of its networks and at random`() throws {
    let pair = try Pair(path: #require(LocalDatabases.defaultPaths.first))
    let borders = pair.borders
    #expect(borders.count > 1_000_000)
    var generator = SeededGenerator(seed: 4)
    let sample = (0..<20_000).compactMap { _ in borders.randomElement(using: &generator) }
    let random = (0..<5000).map { _ in Address(ipv4: .random(in: 0 ... .max, using: &generator)) }
    let differences = try pair.differences(sample + random)
    #expect(differences.isEmpty, "\(differences.prefix(3))")
    #expect(Set(pair.table.header.sums).count > 300)
  }
}

extension CompiledDatabase {
  /// Where something else than before begins.
  fileprivate var starts: [Address] {
    ranges(of: header.layout.ipv4, isIPv6: false) + ranges(of: header.layout.ipv6, isIPv6: true)
  }

  private func ranges(of family: CompiledLayout.Family, isIPv6: Bool) -> [Address] {
    let index = unsafe mapping.values(UInt32.self, at: family.index, count: CompiledLayout.buckets)
    let values = unsafe mapping.values(UInt32.self, at: family.values, count: family.count)
    let forms = unsafe mapping.values(UInt8.self, at: family.forms, count: family.count)
    let width = isIPv6 ? 8 : 2
    var starts: [Address] = []
    var bucket = 0
    for place in 0..<family.count {
      while unsafe bucket + 1 < index.count && Int(index[bucket + 1]) <= place { bucket += 1 }
      if place > 0, unsafe values[place] == values[place - 1] && forms[place] == forms[place - 1] {
        continue
      }
      let start = unsafe mapping.bytes(at: family.starts + place * width, count: width)
      guard isIPv6 else {
        let number = unsafe UInt32(bucket) << 16 | UInt32(start.load(as: UInt16.self))
        starts.append(Address(ipv4: number))
        continue
      }
      let low = unsafe mapping.values(UInt64.self, at: family.lows + place * 8, count: 1)
      starts.append(unsafe Address(high: start.load(as: UInt64.self), low: low[0]))
    }
    return starts
  }
}
