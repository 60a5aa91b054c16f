import TestSupport
import Testing

@testable import SondeGuard

/// What is remembered of many keys, in memory and in the state.
@Suite struct GuardMemoryTests {
  private func name(_ number: Int) -> [UInt8] { Array("key \(number)".utf8) }

  /// Hits a key, which counts as two after its first hit: itself and a time.
  private func hit(
    _ number: Int,
    _ memory: inout GuardMemory,
    _ state: GuardState
  ) throws -> Int {
    let key = try memory.number(ofKey: name(number), in: state)
    return memory.change(key: key, value: nil) { key, _ in
      key.times.add(5, window: 10)
      return key.times.hits(after: 0, upTo: 5)?.count ?? 0
    }
  }

  /// The number of some keys that the state knows.
  private func stored(_ state: GuardState, of numbers: Range<Int>) throws -> Int {
    var memory = GuardMemory(atMost: .max)
    return try numbers.count { try hit($0, &memory, state) > 1 }
  }

  @Test func `a state without a file is not written`() throws {
    let state = try GuardState(path: nil)
    var memory = GuardMemory(atMost: 1000)
    for number in 0..<400 {
      #expect(try hit(number, &memory, state) == 1)
      #expect(try !memory.write(to: state))
    }
    #expect(try hit(7, &memory, state) == 2)
    #expect(try stored(state, of: 0..<400) == 0)
  }

  @Test func `a state with a file is written each time`() throws {
    let folder = try ScratchFolder()
    let state = try GuardState(path: folder.file("state.db"))
    var memory = GuardMemory(atMost: 1000)
    for number in [1, 2, 1] {
      _ = try hit(number, &memory, state)
      #expect(try !memory.write(to: state))
    }
    #expect(try stored(state, of: 0..<9) == 2)
    memory.discard()
    #expect(try hit(1, &memory, state) == 3)
    var other = GuardMemory(atMost: 1000)
    #expect(try hit(2, &other, state) == 2)
  }

  @Test func `the least recently hit keys are forgotten`() throws {
    let state = try GuardState(path: nil)
    var memory = GuardMemory(atMost: 1000)
    var hasForgotten = false
    for number in 0..<5000 {
      _ = try hit(number, &memory, state)
      // What is hit again stays.
      if number % 10 == 0 { _ = try hit(-1, &memory, state) }
      hasForgotten = try memory.write(to: state) || hasForgotten
    }
    #expect(hasForgotten)
    #expect(try stored(state, of: 0..<5000) <= 475)
    #expect(try hit(-1, &memory, state) == 501)
    #expect(try hit(4990, &memory, state) == 2)
    #expect(try hit(4000, &memory, state) == 1)
  }

  @Test func `keys beyond the limit of memory are kept in the state`() throws {
    let state = try GuardState(path: nil)
    var memory = GuardMemory(atMost: 1_000_000)
    let all = GuardMemory.mostCached + 1000
    for turn in 1...2 {
      for number in 0..<all {
        guard try hit(number, &memory, state) != turn else { continue }
        Issue.record("key \(number) is forgotten")
        return
      }
      #expect(try !memory.write(to: state))
    }
    #expect(try stored(state, of: all - 100..<all + 100) == 100)
  }

  @Test func `values are kept beside their keys`() throws {
    let state = try GuardState(path: nil)
    var memory = GuardMemory(atMost: 100)
    for number in 0..<300 {
      let key = try memory.number(ofKey: name(number / 3), in: state)
      let value = try memory.number(ofValue: name(number), in: state)
      memory.change(key: key, value: value) { _, value in
        #expect(value == nil)
        value = ValueMemory(seen: Int64(number))
      }
      _ = try memory.write(to: state)
    }
    for (number, seen) in [(299, 299), (100, nil)] as [(Int, Int64?)] {
      let key = try memory.number(ofKey: name(number / 3), in: state)
      let value = try memory.number(ofValue: name(number), in: state)
      memory.change(key: key, value: value) { _, value in #expect(value?.seen == seen) }
    }
  }
}
