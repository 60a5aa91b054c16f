import SondeAddresses
import Testing

@Suite struct SlotIndexTests {
  @Test(arguments: [1024, 1 << 20])
  func `hashes have their homes all over the table`(capacity: Int) {
    #expect(SlotIndex.home(of: 0, in: capacity) == 0)
    #expect(SlotIndex.home(of: 1 << 31, in: capacity) == capacity / 2)
    #expect(SlotIndex.home(of: .max, in: capacity) == capacity - 1)
  }

  @Test func `what was inserted is found, also after the table has grown`() {
    var index = SlotIndex()
    // Spread by a multiplication (Knuth's constant of 32 bits), with two that share each hash.
    let hashes = (0..<10_000).map { UInt32($0 / 2) &* 2_654_435_769 }
    for (place, hash) in hashes.enumerated() {
      #expect(index.find(hash, orInsert: place) { $0 == place } == nil)
    }
    for (place, hash) in hashes.enumerated() {
      #expect(index.find(hash, orInsert: .max) { $0 == place } == place)
    }
  }
}
