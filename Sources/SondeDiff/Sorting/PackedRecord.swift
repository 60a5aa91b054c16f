import SondeInputs

/// A record as bytes: its length, its key, the bytes that decide between equal keys, and its cells.
///
/// Numbers are stored with their last byte first. The length does not count itself.
enum PackedRecord {
  /// The bytes of the length.
  static let lengthSize = 4
  /// The bytes before the tie: kind, high, low, and the length of the tie.
  private static let headSize = 1 + 8 + 8 + 4

  /// Begins a record at the end of `bytes`; ``end(_:from:)`` completes it.
  static func begin(_ key: RecordKey, tie: Span<UInt8>, in bytes: inout [UInt8]) {
    append(0, size: lengthSize, to: &bytes)
    bytes.append(key.kind.rawValue)
    append(key.high, size: 8, to: &bytes)
    append(key.low, size: 8, to: &bytes)
    append(UInt64(tie.count), size: 4, to: &bytes)
    bytes.append(copying: tie)
  }

  /// Adds a value in the column with a number.
  @inline(__always)
  static func append(
    _ value: Span<UInt8>,
    _ type: CellType,
    column: Int,
    to bytes: inout [UInt8]
  ) {
    append(UInt64(column), size: 2, to: &bytes)
    bytes.append(type.rawValue)
    append(UInt64(value.count), size: 4, to: &bytes)
    bytes.append(copying: value)
  }

  /// Completes the record that begins at `start`.
  static func end(_ bytes: inout [UInt8], from start: Int) {
    let length = bytes.count - start - lengthSize
    for place in 0..<lengthSize {
      bytes[start + place] = UInt8(truncatingIfNeeded: length >> (8 * place))
    }
  }

  /// The length of the record that begins at `start`, behind its own bytes.
  static func length(in bytes: [UInt8], at start: Int) -> Int {
    Int(number(in: bytes, at: start, size: lengthSize))
  }

  /// The key of the record whose length ends at `start`.
  static func key(in bytes: [UInt8], at start: Int) -> RecordKey {
    RecordKey(
      kind: RecordKey.Kind(rawValue: bytes[start]) ?? .other,
      high: number(in: bytes, at: start + 1, size: 8),
      low: number(in: bytes, at: start + 9, size: 8)
    )
  }

  /// The bytes that decide between equal keys.
  static func tie(in bytes: [UInt8], at start: Int) -> Range<Int> {
    let length = Int(number(in: bytes, at: start + headSize - 4, size: 4))
    return start + headSize..<start + headSize + length
  }

  /// Passes the column, the type and the place of each value of a record.
  @inline(__always)
  static func eachCell(
    in bytes: [UInt8],
    of record: Range<Int>,
    _ body: (Int, CellType, Range<Int>) -> Void
  ) {
    var position = tie(in: bytes, at: record.lowerBound).upperBound
    while position < record.upperBound {
      let column = Int(number(in: bytes, at: position, size: 2))
      let type = CellType(rawValue: bytes[position + 2]) ?? .plain
      let start = position + 7
      let end = start + Int(number(in: bytes, at: position + 3, size: 4))
      body(column, type, start..<end)
      position = end
    }
  }

  /// Whether the bytes of a range are before those of another.
  static func isBefore(
    _ left: [UInt8],
    _ first: Range<Int>,
    _ right: [UInt8],
    _ second: Range<Int>
  ) -> Bool {
    left[first].lexicographicallyPrecedes(right[second])
  }

  @inline(__always)
  private static func append(_ number: UInt64, size: Int, to bytes: inout [UInt8]) {
    for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
  }

  @inline(__always)
  private static func number(in bytes: [UInt8], at start: Int, size: Int) -> UInt64 {
    var number: UInt64 = 0
    for place in 0..<size { number |= UInt64(bytes[start + place]) << UInt64(8 * place) }
    return number
  }
}
