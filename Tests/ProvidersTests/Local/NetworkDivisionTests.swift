import SondeAddresses
import SondeRecords
import TestSupport
import Testing

@testable import SondeDatabases

/// The blocks of a division cover a range, and each has one answer: that of a look-up.
@Suite struct NetworkDivisionTests {
  private static let items = [
    "1.2.3.0/24", "1.2.3.4/32", "1.2.3.128/26", "1.2.2.7-1.2.5.200", "0.0.0.0/0", "10.0.0.0/7",
    "192.0.0.0/28", "255.255.255.255-255.255.255.255", "2001:db8::/32", "2001:db8::1-2001:db8::44",
    "2002:102:300::/40", "::fffe:ffff:0-::1:0:1:0", "ff00::/7", "::/0",
  ]

  private func range(_ text: String) throws -> AddressRange {
    guard case .range(let range) = ListItem.parse(operand: Array(text.utf8).span) else {
      throw CompiledDatabaseError.damaged
    }
    return range
  }

  private func blocks(_ walk: NetworkWalk) throws -> [AddressRange] {
    var (walk, blocks) = (walk, [AddressRange]())
    while let block = try walk.next() { blocks.append(block) }
    return blocks
  }

  /// What the databases say of addresses without their tables, and what they are reserved for.
  private func answers(_ databases: LocalDatabases, _ addresses: [Address]) -> [[String: String]] {
    let block = databases.lookUp(addresses)
    return block.records.map { record in
      let special = record.address?.specialPurpose.map { ["reserved": $0.message] }
      return special ?? fields(of: record, in: block)
    }
  }

  /// The first, the last and a random address of each block.
  private func samples(_ blocks: [AddressRange]) -> [Address] {
    var generator = SeededGenerator(seed: 3)
    return blocks.flatMap { block in
      let offset = UInt128.random(in: 0...block.lastOffset, using: &generator)
      return [block.first, block.last, block[offset]]
    }
  }

  private func check(
    _ blocks: [AddressRange],
    of range: AddressRange,
    _ databases: LocalDatabases,
    isAlone: Bool = true,
    _ name: String
  ) {
    #expect(blocks.first?.first == range.first && blocks.last?.last == range.last, "\(name)")
    let isGapless = zip(blocks, blocks.dropFirst()).allSatisfy {
      $0.last.number + 1 == $1.first.number
    }
    #expect(isGapless, "\(name)")
    let areBlocks = blocks.allSatisfy { block in
      let hosts = block.lastOffset
      return hosts & (hosts &+ 1) == 0 && block.first.number & hosts == 0
        && block.first.isIPv4 == block.last.isIPv4
    }
    #expect(areBlocks, "\(name)")
    let answers = answers(databases, samples(blocks))
    for index in blocks.indices {
      let own = answers[3 * index..<3 * index + 3]
      #expect(Set(own).count == 1, "\(name): \(blocks[index].first)")
      guard index > 0, answers[3 * index - 1] == answers[3 * index] else { continue }
      // Networks of different databases, which one answer does not show.
      if !isAlone, answers[3 * index]["status"] == "ok" { continue }
      let (before, block) = (blocks[index - 1], blocks[index])
      // Two halves of one block would be one row, if they are of one network, or of none.
      let areHalves =
        before.lastOffset == block.lastOffset && before.first.isIPv4 == block.first.isIPv4
        && before.first.number & (before.lastOffset << 1 | 1) == 0
      #expect(!areHalves, "\(name): \(before.first) and \(block.first)")
    }
  }

  @Test func `the blocks of each item cover it, in as few as can be, and have one answer each`()
    throws
  {
    for (name, bytes) in try CompiledTableTests.files {
      let databases = try databases(keeping: [bytes])
      let division = try databases.value.division()
      for item in Self.items {
        let range = try range(item)
        check(try blocks(division.blocks(of: range)), of: range, databases.value, "\(name) \(item)")
      }
    }
  }

  @Test func `several databases divide each other's networks`() throws {
    let files = try CompiledTableTests.files
    let names = [["libloc", "MMDB, 24"], ["MMDB, IPv4", "libloc, many", "libloc, wide"]]
    for group in names {
      let databases = try databases(keeping: group.compactMap { files[$0] })
      let division = try databases.value.division()
      for item in Self.items {
        let range = try range(item)
        check(
          try blocks(division.blocks(of: range)),
          of: range,
          databases.value,
          isAlone: false,
          "\(group) \(item)"
        )
      }
    }
  }

  @Test func `the blocks of a system are all those whose answer names it`() throws {
    for (name, bytes) in try CompiledTableTests.files {
      let databases = try databases(keeping: [bytes])
      let division = try databases.value.division()
      let ipv4 = try blocks(division.blocks(of: range("0.0.0.0/0")))
      let all = try blocks(division.blocks(of: range("::/0")))
      let whole = ipv4 + all.filter { !$0.first.isIPv4 }
      #expect(all.filter(\.first.isIPv4) == ipv4)
      let repeated =
        name.hasPrefix("MMDB")
        ? try ["::/96", "2002::/16", "2001::/32", "64:ff9b::/96"].map { try self.range($0) } : []
      for number in [1, 5, 7, 64_500] as [UInt32] {
        let records = databases.value.lookUp(whole.map(\.first)).records
        let expected = zip(whole, records).filter {
          let first = $0.first
          return $1.asn == number && first.specialPurpose == nil
            && !repeated.contains { $0.contains(first) }
        }
        let found = try blocks(division.blocks(ofSystem: number))
        #expect(found == expected.map(\.0), "\(name) \(number)")
      }
    }
  }

  @Test func `a database that cannot be compiled has no division`() throws {
    var file = MaxMindFile()
    file.add("1.2.3.0/24", .pointer(1 << 20))
    let databases = try databases(keeping: [file.bytes()])
    #expect { _ = try databases.value.division() } throws: { error in
      "\(error)".contains("its networks cannot be listed: it has damaged entries")
    }
  }

  /// Databases whose files stay in place, because their tables are made later.
  private func databases(keeping files: [[UInt8]]) throws -> (
    files: [ScratchFile], value: LocalDatabases
  ) {
    let scratch = try files.map { try ScratchFile($0) }
    return (scratch, try LocalDatabases(paths: scratch.map(\.path)))
  }
}
