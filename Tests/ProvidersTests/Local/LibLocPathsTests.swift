import SondeAddresses
import SondeRecords
import TestSupport
import Testing

@testable import SondeDatabases

/// Network trees that are broken in places: what can be read is, and nothing brings the process down.
@Suite struct LibLocPathsTests {
  private static let file = LibLocFile(networks: [
    .init(block: "8.8.8.0/24", country: "US"), .init(block: "2001:db8::/32", country: "SE"),
  ])

  /// The file with both branches of the node after the first 100 bits of 8.8.8.8 leading to another,
  /// or back to it.
  private func broken(leadingTo target: Int? = nil) throws -> [UInt8] {
    var bytes = try Self.file.bytes()
    let file = try ScratchFile(bytes)
    let tree = try LibLocLayout.sections(of: DatabaseFile(path: file.path))[2]
    let address = address("8.8.8.8")
    var node = 0
    for bit in 0..<100 {
      let isOne = address.number >> UInt128(127 - bit) & 1 == 1
      let place = tree.offset + node * LibLocLayout.nodeSize + (isOne ? 4 : 0)
      node = LibLocLayout.number(in: bytes, at: place)
      try #require(node != 0)
    }
    let place = tree.offset + node * LibLocLayout.nodeSize
    for (offset, shift) in [24, 16, 8, 0, 24, 16, 8, 0].enumerated() {
      bytes[place + offset] = UInt8(truncatingIfNeeded: (target ?? node) >> shift)
    }
    return bytes
  }

  @Test(arguments: [nil, 0xffff_fff0], [0, 40])
  func `a path that leads in a circle or astray is warned of, the others are answered`(
    target: Int?,
    before: Int
  ) throws {
    let databases = try databases(broken(leadingTo: target))
    for _ in 0..<before { _ = answer(databases, "2001:db8::1") }
    #expect(answer(databases, "8.8.8.8")["status"] == "failed")
    #expect(databases.warnings.count == 1)
    #expect(answer(databases, "2001:db8::1")["countryCode"] == "SE")
  }

  @Test(
    arguments: [
      ("8.8.8.8", "SE", 24), ("8.8.9.1", "US", 16), ("8.8.8.130", "NO", 25), ("9.9.9.9", nil, 0),
      ("2001:db8:1::1", "FI", 48), ("2001:db8:2::1", "DE", 32), ("2001:db9::1", nil, 0),
    ] as [(String, String?, Int)]
  )
  func `the smallest network around an address is found, beside smaller ones that do not hold it`(
    text: String,
    country: String?,
    length: Int
  ) throws {
    let file = LibLocFile(networks: [
      .init(block: "8.8.0.0/16", country: "US"), .init(block: "8.8.8.0/24", country: "SE"),
      .init(block: "8.8.8.128/25", country: "NO"), .init(block: "2001:db8::/32", country: "DE"),
      .init(block: "2001:db8:1::/48", country: "FI"),
    ])
    let bytes = try file.bytes()
    // By libloc, of whatever version, with this library's help.
    #expect(try answer(databases(bytes), text)["countryCode"] == country)
    // By this library alone.
    let scratch = try ScratchFile(bytes)
    let opened = try DatabaseFile(path: scratch.path)
    let network = try LibLocPaths(in: LibLocLayout.check(opened), of: opened)
      .network(of: address(text))
    let found = network.map { String(decoding: [$0.country.0, $0.country.1], as: UTF8.self) }
    #expect(found == country)
    #expect(network?.length ?? 0 == length)
  }

  /// The file with some bytes of the node or network of 8.8.8.0/24 written over.
  private func broken(_ part: Part, with damage: [UInt8]) throws -> [UInt8] {
    var bytes = try Self.file.bytes()
    let file = try ScratchFile(bytes)
    let sections = try LibLocLayout.sections(of: DatabaseFile(path: file.path))
    let networks = stride(from: 0, to: sections[1].count, by: 12).map { sections[1].offset + $0 }
    let network = try #require(networks.firstIndex { bytes[$0...].starts(with: Array("US".utf8)) })
    let nodes = stride(from: 0, to: sections[2].count, by: LibLocLayout.nodeSize)
      .map { sections[2].offset + $0 + 8 }
    let node = try #require(nodes.first { LibLocLayout.number(in: bytes, at: $0) == network })
    let place = part == .node ? node : networks[network]
    bytes.replaceSubrange(place..<place + damage.count, with: damage)
    return bytes
  }

  private enum Part { case node, network }

  @Test(
    arguments: [
      (Part.node, [0, 0, 0, 9]), (.node, [0xff, 0xff, 0xff, 0xfe]), (.network, [1, 0xff]),
    ] as [(Part, [UInt8])],
    [0, 40]
  )
  private func `a network that cannot be is a failure, not the absence of one`(
    damage: (Part, [UInt8]),
    before: Int
  ) throws {
    let databases = try databases(broken(damage.0, with: damage.1))
    for _ in 0..<before { _ = answer(databases, "2001:db8::1") }
    let fields = answer(databases, "8.8.8.8")
    #expect(fields["status"] == "failed")
    let reason = "the database is damaged: its network cannot be read"
    #expect(fields["message"]?.hasSuffix(reason) == true)
    #expect(answer(databases, "9.9.9.9") == ["status": "unknown"])
    #expect(databases.warnings.count == 1)
  }

  @Test func `an IPv4 address in a network wider than all of IPv4 is unknown`() throws {
    let file = LibLocFile(networks: [
      .init(block: "::/40", country: "SE"), .init(block: "1.0.0.0/8", country: "US"),
    ])
    let databases = try databases(file.bytes())
    #expect(answer(databases, "8.8.8.8") == ["status": "unknown"])
    #expect(answer(databases, "::1")["countryCode"] == "SE")
    #expect(databases.warnings == [])
  }

  @Test func `many addresses are answered as few are`() throws {
    let databases = try databases(Self.file.bytes())
    let wanted = [address("8.8.8.8"), address("9.9.9.9"), address("2001:db8::1")]
    let few = databases.lookUp(wanted)
    let many = databases.lookUp([[Address]](repeating: wanted, count: 100).flatMap { $0 })
    for (index, record) in many.records.enumerated() {
      #expect(fields(of: record, in: many) == fields(of: few.records[index % 3], in: few))
    }
    #expect(databases.warnings == [])
  }

  @Test func `no table is made of a broken tree`() throws {
    let scratch = try ScratchFile(broken())
    let tables = CompiledDatabases(folder: nil, threshold: 1)
    let databases = try LocalDatabases(paths: [scratch.path], tables: tables)
    let block = databases.lookUp([address("2001:db8::1"), address("8.8.8.8")])
    #expect(block.records.map(\.status) == [.ok, .failed])
  }
}
