import Testing

@testable import SondeGuard

/// What is remembered of a key, in the form in which it is kept.
@Suite struct KeyMemoryTests {
  @Test func storingKeepsAll() {
    var memory = KeyMemory()
    for time in [5, 5, -3, 1_700_000_000_000, 1_600_000_000_000] as [Int64] {
      memory.times.add(time, window: 600_000)
    }
    memory.lastAlert = -7
    memory.values = ["DE", "", "Ünï\u{0}"]
    var place = HitPlace(time: -1, ip: "fe80::1%eth0")
    (place.latitude, place.longitude, place.city) = (52.5, -13.25, "Berlin")
    memory.place = place
    #expect(KeyMemory(stored: memory.stored) == memory)
    #expect(KeyMemory(stored: KeyMemory().stored) == KeyMemory())
  }

  @Test func damagedBytesAreNoReasonToEnd() {
    var memory = KeyMemory()
    for time in 0..<100 { memory.times.add(Int64(time) * 1000, window: 600_000) }
    let bytes = memory.stored
    for count in bytes.indices { _ = KeyMemory(stored: Array(bytes[..<count])) }
    _ = KeyMemory(stored: [UInt8](repeating: 0xff, count: 40))
  }

  @Test func manyTimesAreForgottenOutsideTheWindow() {
    var times = HitTimes()
    for second in 0..<100_000 { times.add(Int64(second) * 1000, window: 10_000) }
    #expect(times.times.count < 2 * HitTimes.most)
    let window = times.hits(after: 99_989_000, upTo: 99_999_000)
    #expect(window?.count == 10 && window?.first == 99_990_000)
    // All of a window stay, however many.
    var dense = HitTimes()
    for time in 0..<20_000 { dense.add(Int64(time), window: 1_000_000) }
    #expect(dense.hits(after: -1, upTo: 20_000)?.count == 20_000)
  }
}
