import SondeRecords
import TestSupport
import Testing

@testable import SondeScanner

@Suite struct FeedingTests {
  private static let items = [
    "8.8.8.8", "1.1.1.1", "2001:db8::1", "::ffff:8.8.8.8", "10.0.0.1", "fe80::1%eth0", "8.8.4.0/29",
    "9.9.9.1-9.9.9.9", "x", "8.8.8.8:53", "", " ", "# note", "1.2.3.4 # note", "010.1.1.1", "é",
    "::/0", "2001:db8:2::/125", "1.1.1.1\r", "\0",
  ]

  private func corpus(_ seed: UInt64, lines: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = Bool.random(using: &generator) ? [0xef, 0xbb, 0xbf] : []
    for _ in 0..<lines {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: bytes += (0..<9).map { _ in UInt8.random(in: 0...255, using: &generator) }
      case 1: bytes += Array("9.\(UInt8.random(in: 0...255, using: &generator)).0.7".utf8)
      default: bytes += Array((Self.items.randomElement(using: &generator) ?? "").utf8)
      }
      bytes.append(0x0a)
    }
    if Bool.random(using: &generator) { bytes.removeLast() }
    return bytes
  }

  private func compare(_ bytes: [UInt8], seed: UInt64) -> [String] {
    var whole = Feeder()
    whole.feed(bytes)
    var generator = SeededGenerator(seed: seed)
    var differing: [String] = []
    for (limit, most) in [(Int.max, 1), (1, 1), (3, 7), (5, 300), (Int.max, 64)] {
      var pieces = Feeder()
      pieces.feed(bytes, limit: limit) { Int.random(in: 1...most, using: &generator) }
      if pieces.records != whole.records || pieces.duplicates != whole.duplicates {
        differing.append("\(seed): at most \(most) bytes, \(limit) records")
      }
      if pieces.longest > limit { differing.append("\(seed): over \(limit)") }
    }
    return differing
  }

  @Test func `a list in pieces gives what it gives at once`() {
    let differing = (1...40 as ClosedRange<UInt64>).flatMap { seed in
      compare(corpus(seed, lines: 40), seed: seed)
    }
    #expect(differing == [])
  }

  @Test func `an expansion stops at the limit and goes on behind it`() {
    var feeder = Feeder()
    feeder.feed("8.8.0.0/22\nx\n8.8.0.0/23\n9.9.9.9\n", limit: 100)
    #expect(feeder.records.count == 1026)
    #expect(feeder.longest == 100)
    #expect(feeder.duplicates == 512)
    #expect(feeder.records.suffix(2).map { $0.prefix(3) } == ["2 x", "4 9"])
  }

  @Test func `a line too long is one invalid record, whatever its pieces`() {
    let long = [UInt8](repeating: 0x61, count: 200_000)
    let bytes = Array("8.8.8.8\n".utf8) + long + Array("\n1.1.1.1\n".utf8) + long
    let expected = Feeder.fed(bytes) { .max }
    #expect(expected.map { $0.prefix(3) } == ["1 8", "2 a", "3 1", "4 a"])
    for size in [1000, 65_535, 65_536, 65_537, 65_540, 199_999, 200_009] {
      #expect(Feeder.fed(bytes) { size } == expected, "\(size) bytes at a time")
    }
  }

  @Test func `an address at the start of a line too long is no address`() {
    let bytes = Array("8.8.8.8".utf8) + [UInt8](repeating: 0x38, count: 70_000) + [0x0a]
    #expect(Feeder.fed(bytes) { .max }.map { $0.contains("invalid") } == [true])
  }

  @Test func `a line too long is invalid whatever it begins with, and to the byte`() {
    let limit = 65_536
    for begin in ["", " ", "#", "\t", "8.8.8.8 ", "8.8.8.8 # ", "\u{feff}", "\r", "a,b", "\0", "é"]
    {
      for filling in [" ", "#", "x", "\0", "\r"] {
        let count = limit - begin.utf8.count
        let fitting = Array((begin + String(repeating: filling, count: count)).utf8)
        let long = fitting + Array("8.8.8.8".utf8)
        let next = Array("\n1.1.1.1\n".utf8)
        for piece in [1000, 65_535, 65_536, 65_537, .max] {
          let records = Feeder.fed(long + next) { piece }
          #expect(
            records.map { $0.hasSuffix(Self.tooLong) } == [true, false],
            "\(begin) \(filling)"
          )
          #expect(records.last == "2 1.1.1.1 ok")
          let whole = Feeder.fed(fitting + next) { piece }
          #expect(whole.last == "2 1.1.1.1 ok" && !whole[0].hasSuffix(Self.tooLong))
        }
      }
    }
  }

  private static let tooLong = "is on a line of more than 65536 bytes, which is not read"
}

extension Feeder {
  /// The records of a list fed in pieces.
  fileprivate static func fed(_ bytes: [UInt8], piece: () -> Int) -> [String] {
    var feeder = Feeder()
    feeder.feed(bytes, piece: piece)
    return feeder.records
  }
}
