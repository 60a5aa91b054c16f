import Addresses
import Records
import TestSupport
import Testing

@testable import Providers

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
    #expect(answer(databases, "8.8.8.8") == ["status": "unknown"])
    #expect(databases.warnings.count == 1)
    #expect(answer(databases, "2001:db8::1")["countryCode"] == "SE")
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
    let tables = LocalTables(folder: nil, threshold: 1)
    let databases = try LocalDatabases(paths: [scratch.path], tables: tables)
    let block = databases.lookUp([address("2001:db8::1"), address("8.8.8.8")])
    #expect(block.records.map(\.status) == [.ok, .unknown])
  }
}
