/// The content of a TZif file (RFC 8536 §3): the clock changes of a zone.
struct TimeZoneFile {
  /// A clock change.
  struct Change: Sendable, Equatable {
    /// The moment, in seconds since 1970 UTC.
    var at: Int64
    /// The new offset from UTC in seconds.
    var offset: Int64
  }

  /// The offset from UTC in seconds before the first change.
  private(set) var initial: Int64 = 0
  /// The changes in order, including those of the rule for the future.
  private(set) var changes: [Change] = []

  /// Parses a file; `nil` if it has another format.
  init?(_ bytes: Span<UInt8>) {
    guard let first = Block(bytes, at: 0, timeSize: 4) else { return nil }
    guard first.version >= UInt8(ascii: "2") else {
      guard read(first, of: bytes) else { return nil }
      return
    }
    // The same data with 64-bit times, followed by the rule for the future.
    guard let second = Block(bytes, at: first.end, timeSize: 8), read(second, of: bytes) else {
      return nil
    }
    guard let footer = Self.footer(bytes, at: second.end), let rule = TimeZoneRule(footer) else {
      return
    }
    extend(by: rule)
  }

  private mutating func read(_ block: Block, of bytes: Span<UInt8>) -> Bool {
    var offsets: [Int64] = []
    for index in 0..<block.types {
      offsets.append(bytes.signed(at: block.typesStart + 6 * index, size: 4))
    }
    guard let first = offsets.first else { return false }
    initial = first
    for index in 0..<block.times {
      let type = Int(bytes[block.indicesStart + index])
      guard type < offsets.count else { return false }
      let at = bytes.signed(at: block.start + index * block.timeSize, size: block.timeSize)
      changes.append(Change(at: at, offset: offsets[type]))
    }
    return zip(changes, changes.dropFirst()).allSatisfy { $0.at < $1.at }
  }

  /// The text between the two line feeds after the data.
  private static func footer(_ bytes: Span<UInt8>, at start: Int) -> [UInt8]? {
    guard start < bytes.count, bytes[start] == 0x0a else { return nil }
    var text: [UInt8] = []
    for index in start + 1..<bytes.count {
      if bytes[index] == 0x0a { return text }
      text.append(bytes[index])
    }
    return nil
  }

  /// Adds the changes of a rule for the years after the last change.
  private mutating func extend(by rule: TimeZoneRule) {
    let last = changes.last?.at
    if last == nil { initial = rule.standard }
    let year = last.map { CivilDate(number: max(0, $0).dividedDown(by: secondsOfDay)).year }
    let first = max(CivilDate.years.lowerBound, year ?? 0)
    guard first <= CivilDate.years.upperBound else { return }
    let future = (first...CivilDate.years.upperBound).flatMap { rule.changes(in: $0) }
    changes += future.filter { $0.at > last ?? .min }.sorted { $0.at < $1.at }
  }
}

/// The positions of a data block's parts (RFC 8536 §3.1, §3.2).
private struct Block {
  let version: UInt8
  let timeSize: Int
  let times: Int
  let types: Int
  let start: Int
  let end: Int

  var indicesStart: Int { start + times * timeSize }
  var typesStart: Int { indicesStart + times }

  init?(_ bytes: Span<UInt8>, at offset: Int, timeSize: Int) {
    let header = 44
    guard offset + header <= bytes.count else { return nil }
    for (index, byte) in "TZif".utf8.enumerated() where bytes[offset + index] != byte {
      return nil
    }
    version = bytes[offset + 4]
    let counts = (0..<6).map { Int(bytes.signed(at: offset + 20 + 4 * $0, size: 4)) }
    // More than any zone has, and small enough to prevent an overflow.
    guard counts.allSatisfy({ 0...1_000_000 ~= $0 }) else { return nil }
    (times, types, self.timeSize) = (counts[3], counts[4], timeSize)
    start = offset + header
    end =
      start + times * (timeSize + 1) + types * 6 + counts[5] + counts[2] * (timeSize + 4)
      + counts[1] + counts[0]
    guard end <= bytes.count else { return nil }
  }
}

extension Span<UInt8> {
  /// A big-endian number in two's complement.
  fileprivate func signed(at offset: Int, size: Int) -> Int64 {
    var value: UInt64 = self[offset] >= 0x80 ? .max : 0
    for index in offset..<offset + size { value = value << 8 | UInt64(self[index]) }
    return Int64(bitPattern: value)
  }
}
