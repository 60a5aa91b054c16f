import SondeAddresses
import SondeStore
import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeProviders
@testable import SondeRecords

@Suite struct PendingRequestTests {
  @Test func `halves hold every position once, in order, with so many tries`() {
    for count in 2...9 {
      let addresses = (0..<count).map { Address(ipv4: 0x0808_0800 + UInt32($0)) }
      var request = PendingRequest(addresses, at: Array(10..<10 + count), limit: 4)
      request.failures = 3
      let halves = request.halves(limit: 1)
      #expect(halves.flatMap(\.addresses) == addresses)
      #expect(halves.count == 2)
      #expect(halves.flatMap(\.positions) == request.positions)
      #expect(halves.allSatisfy { !$0.positions.isEmpty && $0.failures == 0 && $0.limit == 1 })
    }
  }

  @Test func `each slice of a request holds as many addresses as fit, with their positions`() {
    let addresses = (0..<7).map { Address(ipv4: 0x0808_0800 + UInt32($0)) }
    let slices = PendingRequest(addresses, at: Array(10..<17), limit: 4).split(3)
    #expect(slices.map(\.positions) == [[10, 11, 12], [13, 14, 15], [16]])
    #expect(slices.flatMap(\.addresses) == addresses)
  }

  @Test func `what is known of a request is taken out of it`() {
    let addresses = ["8.8.8.8", "1.1.1.1", "9.9.9.9"].map(address)
    var lookup = Lookup(addresses, retries: 0)
    var request = PendingRequest(addresses, at: [0, 1, 2], limit: 0)
    var known = KnownAnswers()
    (known.block, known.positions) = (RecordBlock("1.1.1.1 ok AU"), [1])
    lookup.put(known, for: &request)
    #expect(request.positions == [0, 2])
    #expect(request.addresses == [addresses[0], addresses[2]])
    #expect(lookup.block.lines[1] == "1.1.1.1 ok AU")
  }
}

@Suite struct LookupTests {
  private let addresses = ["8.8.8.8", "1.1.1.1", "9.9.9.9", "4.4.4.4"].map(address)

  private func request(_ positions: Int...) -> PendingRequest {
    PendingRequest(positions.map { addresses[$0] }, at: positions, limit: 0)
  }

  @Test func `one answer to everything is taken as it is`() {
    var lookup = Lookup(addresses, retries: 0)
    let block = RecordBlock("8.8.8.8 ok US", "1.1.1.1 ok AU", "9.9.9.9 unknown no", "4.4.4.4 ok US")
    lookup.put(Answers(block: block), for: request(0, 1, 2, 3))
    #expect(lookup.block.lines == block.lines)
  }

  @Test func `requests are put where they belong, whatever their order`() {
    var lookup = Lookup(addresses, retries: 0)
    lookup.put(Answers(block: RecordBlock("4.4.4.4 ok DE", "8.8.8.8 ok US")), for: request(3, 0))
    lookup.settle(request(2), as: .failed, "down")
    lookup.put(Answers(block: RecordBlock("1.1.1.1 unknown no")), for: request(1))
    #expect(
      lookup.block.lines
        == ["8.8.8.8 ok US", "1.1.1.1 unknown no", "9.9.9.9 failed down", "4.4.4.4 ok DE"]
    )
  }

  @Test func `what is missing in an answer keeps its place for the next one`() {
    var lookup = Lookup(addresses, retries: 0)
    let first = RecordBlock("8.8.8.8 ok US", "1.1.1.1 failed", "9.9.9.9 failed", "4.4.4.4 ok DE")
    lookup.put(Answers(block: first, missing: [1, 2]), for: request(0, 1, 2, 3))
    let second = RecordBlock("1.1.1.1 ok AU", "9.9.9.9 failed")
    lookup.put(Answers(block: second, missing: [1]), for: request(1, 2))
    lookup.settle(request(2), as: .failed, "no entry")
    #expect(
      lookup.block.lines
        == ["8.8.8.8 ok US", "1.1.1.1 ok AU", "9.9.9.9 failed no entry", "4.4.4.4 ok DE"]
    )
  }

  @Test func `a settlement overrides nothing but its request`() {
    var lookup = Lookup(addresses, retries: 0)
    lookup.settle(request(0, 1, 2, 3), as: .networkLost, "gone")
    lookup.put(Answers(block: RecordBlock("9.9.9.9 ok CH")), for: request(2))
    #expect(
      lookup.block.lines == [
        "8.8.8.8 network_lost gone", "1.1.1.1 network_lost gone", "9.9.9.9 ok CH",
        "4.4.4.4 network_lost gone",
      ]
    )
  }

  @Test func `random requests in random order end as the whole`() {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<200 {
      let count = Int.random(in: 1...20, using: &generator)
      let addresses = (0..<count).map { Address(ipv4: 0x0808_0800 + UInt32($0)) }
      let expected = addresses.indices.map { "\(addresses[$0]) ok C\($0)" }
      var lookup = Lookup(addresses, retries: 0)
      var open = Array(addresses.indices)
      while !open.isEmpty {
        let positions = open.shuffled(using: &generator)
          .prefix(Int.random(in: 1...open.count, using: &generator)).sorted()
        let missing = positions.indices.filter { _ in Int.random(in: 0..<4, using: &generator) == 0
        }
        let lines = positions.indices.map { index in
          missing.contains(index)
            ? "\(addresses[positions[index]]) failed" : expected[positions[index]]
        }
        let answers = Answers(block: RecordBlock(lines: lines), missing: missing)
        let asked = positions.map { addresses[$0] }
        lookup.put(answers, for: PendingRequest(asked, at: positions, limit: 0))
        let settled = Set(positions).subtracting(missing.map { positions[$0] })
        open.removeAll { settled.contains($0) }
      }
      #expect(lookup.block.lines == expected)
    }
  }
}

@Suite struct MergeTests {
  @Test func `an answer counts, and an earlier failure stays when a later one has nothing`() {
    // Earlier, later, and what becomes of them.
    let table = [
      ("unknown a", "ok US", "ok US"), ("failed a", "ok US", "ok US"),
      ("network_lost a", "ok US", "ok US"),
      ("unknown a", "unknown b", "unknown a; b"), ("unknown a", "failed b", "failed b"),
      ("unknown a", "network_lost b", "network_lost b"),
      ("failed a", "unknown b", "failed a"), ("failed a", "failed b", "failed a"),
      ("failed a", "network_lost b", "failed a"),
      ("network_lost a", "unknown b", "network_lost a"),
      ("network_lost a", "failed b", "network_lost a"),
      ("network_lost a", "network_lost b", "network_lost a"),
    ]
    for (earlier, later, expected) in table {
      var block = RecordBlock("1.1.1.1 ok AU", "8.8.8.8 \(earlier)")
      #expect(block.openPositions == [1])
      block.merge(RecordBlock("8.8.8.8 \(later)"), at: [1])
      #expect(block.lines == ["1.1.1.1 ok AU", "8.8.8.8 \(expected)"])
    }
  }

  @Test func `an unknown record without a reason gets one, others keep theirs`() {
    var block = RecordBlock(
      "8.8.8.8 unknown",
      "1.1.1.1 unknown why",
      "9.9.9.9 failed",
      "4.4.4.4 ok US"
    )
    block.explainUnknown("local has nothing about it")
    #expect(
      block.lines == [
        "8.8.8.8 unknown local has nothing about it", "1.1.1.1 unknown why", "9.9.9.9 failed",
        "4.4.4.4 ok US",
      ]
    )
  }
}
