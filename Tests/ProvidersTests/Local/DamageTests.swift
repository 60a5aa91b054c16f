import SondeAddresses
import SondeRecords
import TestSupport
import Testing

@testable import SondeDatabases

/// Files that were damaged, or built to do harm: none may bring the process down.
@Suite struct DamageTests {
  typealias Value = MaxMindFile.Value

  private static let addresses =
    ["1.2.3.4", "81.2.69.142", "8.8.8.8", "255.255.255.255", "2001:db8::1", "::", "ff::1"]
    .map(address)

  /// What became of a damaged file.
  private enum Outcome: Hashable {
    case refused, warned, answered
  }

  /// Overwrites a few bytes, `places` saying where, and looks addresses up.
  private func damage(
    _ bytes: [UInt8],
    in places: Range<Int>,
    using generator: inout SeededGenerator
  ) throws -> Outcome {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...16, using: &generator) {
      bytes[Int.random(in: places, using: &generator)] = .random(in: 0...255, using: &generator)
    }
    do {
      let databases = try databases(bytes)
      let block = databases.lookUp(Self.addresses)
      #expect(block.records.map(\.address) == Self.addresses)
      for record in block.records { try check(record, in: block) }
      let hasFailed = block.records.contains { $0.status == .failed }
      #expect(hasFailed == !databases.warnings.isEmpty)
      return databases.warnings.isEmpty ? .answered : .warned
    } catch is DatabaseError {
      return .refused
    }
  }

  private func check(_ record: Record, in block: RecordBlock) throws {
    #expect([.ok, .unknown, .failed].contains(record.status))
    for field in TextField.allCases where !record[field].isEmpty {
      let start = Int(record[field].offset)
      let end = start + Int(record[field].count)
      try #require(end <= block.bytes.count)
      let bytes = block.bytes[start..<end]
      #expect(String(validating: bytes, as: UTF8.self) != nil)
    }
  }

  private func maxMindFile() -> [UInt8] {
    var file = MaxMindFile("GeoLite2-City")
    let names = Value.map(["de": .text("Schweden"), "en": .text("Sweden")])
    file.add("::/1", .map(["country": .map(["iso_code": .text("SE"), "names": names])]))
    let offset = file.nextOffset
    file.add("81.0.0.0/8", .map(["subdivisions": .list([.map(["names": names])])]))
    file.add(
      "1.2.0.0/16",
      .map(["location": .map(["latitude": .double(1), "longitude": .float(2)])])
    )
    file.add("8.8.8.0/24", .pointer(offset))
    return file.bytes()
  }

  @Test func `an overwritten MMDB file is refused, warned of or answers`() throws {
    let bytes = maxMindFile()
    var generator = SeededGenerator(seed: 1)
    var outcomes: [Outcome: Int] = [:]
    let metadata = bytes.count - 200
    let tree = bytes.count - 450
    for places in [0..<bytes.count, metadata..<bytes.count, tree..<metadata] {
      for _ in 0..<200 {
        outcomes[try damage(bytes, in: places, using: &generator), default: 0] += 1
      }
    }
    #expect(outcomes.count == 3, "\(outcomes)")
  }

  @Test func `an overwritten libloc file is refused, warned of or answers`() throws {
    let file = LibLocFile(
      networks: [
        .init(block: "1.2.0.0/16", country: "SE", asn: 1),
        .init(block: "81.2.69.142/32", country: "GB", asn: 2),
        .init(block: "8.8.8.0/24", country: "US", asn: 3),
        .init(block: "2001:db8::/32", country: "SE", asn: 4),
        .init(block: "2001:db8::1/128", country: "GB", asn: 5),
      ],
      systems: [1: "One", 2: "Two", 3: "Three", 4: "Four", 5: "Five"],
      countries: ["GB": ("EU", "Britain"), "SE": ("EU", "Sweden"), "US": ("NA", "States")]
    )
    let bytes = try file.bytes()
    // Most of the file is padding between its sections.
    let used = bytes.indices.filter { bytes[$0] != 0 }
    let data = (used.first { $0 > 64 } ?? 64)..<bytes.count
    var generator = SeededGenerator(seed: 2)
    var outcomes: [Outcome: Int] = [:]
    for places in [8..<64, data] {
      for _ in 0..<200 {
        outcomes[try damage(bytes, in: places, using: &generator), default: 0] += 1
      }
    }
    // One byte at a time, where there was one.
    for place in used where place >= 8 {
      outcomes[try damage(bytes, in: place..<place + 1, using: &generator), default: 0] += 1
    }
    #expect(outcomes.count == 3, "\(outcomes)")
  }

  /// Opens a file with one record at `1.0.0.0/8` and looks an address of it up.
  private func lookUp(_ record: Value) throws -> (fields: [String: String], warnings: [String]) {
    var file = MaxMindFile()
    file.add("1.0.0.0/8", record)
    let databases = try databases(file.bytes())
    return (answer(databases, "1.1.1.1"), databases.warnings)
  }

  /// Lists in lists, this many deep.
  private func nested(_ depth: Int) -> Value {
    .raw([UInt8]((0..<depth).flatMap { _ in [1, 4] as [UInt8] }) + [0x40])
  }

  @Test func `hostile records are given up with a warning`() throws {
    let records: [Value] = [
      .pointer(0),
      .map(["country": .pointer(1 << 30)]),
      .map(["country": .map(["names": .pointer(0)])]),
      .raw([0xff, 0xff, 0xff, 0xff]),
      .map(["city": .raw([0x5f, 0xff, 0xff, 0xff])]),
      .map(["x": nested(100_000)]),
      .map(["latitude": .raw([0x62, 1, 2])]),
      .map(["city": .raw([0x00, 0xff])]),
    ]
    for (index, record) in records.enumerated() {
      let (fields, warnings) = try lookUp(record)
      // The third follows its own pointer and comes back to where nothing of it is wanted.
      #expect(fields["status"] == (index == 2 ? "unknown" : "failed"), "record \(index)")
      #expect(fields.count == (index == 2 ? 1 : 2) && fields["source"] == nil, "record \(index)")
      #expect(warnings.count == (index == 2 ? 0 : 1), "record \(index)")
    }
  }

  @Test func `hostile metadata is refused`() throws {
    var shared = MaxMindFile()
    shared.add("1.0.0.0/8", .map(["country": .text("SE")]))
    for languages in [
      nested(50_000), .list([.pointer(0), .pointer(0)]), .raw([0x1f, 4, 255, 255, 255]),
    ] {
      shared.languages = languages
      let bytes = shared.bytes()
      #expect(throws: DatabaseError.self) { try databases(bytes) }
    }
  }

  @Test func `a warning names the file, the address and the reason, once for all`() throws {
    var file = MaxMindFile()
    file.add("1.0.0.0/8", .map(["latitude": .raw([0x62, 1, 2])]))
    let scratch = try ScratchFile(file.bytes())
    let databases = try LocalDatabases(paths: [scratch.path])
    _ = databases.lookUp([address("1.1.1.1"), address("9.9.9.9")])
    _ = databases.lookUp([address("1.1.1.2")])
    #expect(
      databases.warnings == [
        "\(scratch.path): the database is damaged: 2 look-ups met a bad entry, "
          + "the first for 1.1.1.1: a number has 2 bytes"
      ]
    )
  }
}
