import TestSupport
import Testing

@testable import SondeAddresses

@Suite struct DistinctSetTests {
  @Test func `an address is new once`() {
    var set = DistinctSet()
    let addresses = [
      Address(ipv4: 0), Address(ipv4: 1), Address(ipv4: .max), Address(high: 0, low: 0),
      Address(high: 0, low: 1), Address(high: 1, low: 0), Address(high: .max, low: .max),
    ]
    #expect(addresses.map { set.insert($0) } == Array(repeating: true, count: 7))
    #expect(addresses.map { set.insert($0) } == Array(repeating: false, count: 7))
    #expect(set.count == 7)
  }

  @Test func `it agrees with a plain set`() {
    var (generator, set, plain) = (SeededGenerator(seed: 3), DistinctSet(), Set<Address>())
    var wrong: [Address] = []
    for _ in 0..<60_000 {
      // Few enough numbers that many come twice.
      let number = generator.next() % 30_000
      let address =
        number.isMultiple(of: 3)
        ? Address(high: 0x2001 << 48, low: number) : Address(ipv4: UInt32(number))
      if set.insert(address) != plain.insert(address).inserted { wrong.append(address) }
    }
    #expect(wrong == [])
    #expect(set.count == plain.count)
  }

  @Test func `a block of addresses is told apart as they are one by one`() {
    var (generator, singly, inBlocks) = (SeededGenerator(seed: 5), DistinctSet(), DistinctSet())
    var wrong: [[Address]] = []
    for _ in 0..<2_000 {
      // Small numbers: some come twice in one block, and zero is among them.
      let block = (0..<Int.random(in: 0...DistinctSet.blockSize, using: &generator)).map { _ in
        let number = generator.next() % 20_000
        return number.isMultiple(of: 4)
          ? Address(high: 0, low: number / 4) : Address(ipv4: UInt32(number / 4))
      }
      let new = inBlocks.insert(block.span)
      let expected = block.map { singly.insert($0) }
      if block.indices.map({ new >> UInt64($0) & 1 == 1 }) != expected { wrong.append(block) }
    }
    #expect(wrong == [])
    #expect(inBlocks.count == singly.count)
  }

  @Test(arguments: [UInt32(1), 256, 1 << 16, 0x0101_0101])
  func `a list in steps takes no more room than any other`(step: UInt32) {
    var set = DistinctSet()
    for index in UInt32(0)..<200_000 { _ = set.insert(Address(ipv4: index &* step)) }
    #expect(set.slotBytes <= set.count * 8 + 16_384)
  }

  @Test func `an IPv6 address takes at most 24 bytes`() {
    var set = DistinctSet()
    for index in UInt64(0)..<100_000 { _ = set.insert(Address(high: 0x2001 << 48, low: index)) }
    #expect(set.count == 100_000)
    #expect(set.slotBytes <= set.count * 24 + 65_536)
  }
}
