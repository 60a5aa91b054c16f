/// A row of a database table as bytes: for each column the type of its value, and the value.
///
/// It is passed from the encoder to the writer of the database. Each value has one encoding, so
/// that rows read from a database give identical bytes.
public enum TableRow {
  /// The value of a column.
  public enum Value: Sendable, Equatable {
    case missing
    case integer(Int64)
    case real(Double)
    /// A text, by its range in the bytes.
    case text(Range<Int>)
  }

  /// The first byte of a value.
  fileprivate enum Kind: UInt8 {
    case missing, integer, real, text
  }

  /// The size of a text's length in bytes.
  fileprivate static let lengthSize = 4
  /// The size of a value without its text.
  fileprivate static let fixedSize = 1 + 8

  /// Appends a number or a missing value.
  public static func append(_ value: Value, to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: fixedSize + OutputSpan<UInt8>.slack) { $0.append(value) }
  }

  /// Appends a text; an empty one is a missing value.
  public static func append(text: Span<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: fixedSize + text.count + OutputSpan<UInt8>.slack) { output in
      output.appendText { $0.append(copying: text) }
    }
  }

  /// Reads the value at a position and advances it; a missing one if the bytes are not rows.
  public static func value(at position: inout Int, in bytes: Span<UInt8>) -> Value {
    guard position < bytes.count, let kind = Kind(rawValue: bytes[position]) else {
      position = bytes.count
      return .missing
    }
    let word = bytes.word(at: position + 1)
    position += 1
    switch kind {
    case .missing: return .missing
    case .integer:
      position += 8
      return .integer(Int64(bitPattern: word))
    case .real:
      position += 8
      return .real(Double(bitPattern: word))
    case .text:
      let start = min(position + lengthSize, bytes.count)
      let end = min(start + Int(UInt32(truncatingIfNeeded: word)), bytes.count)
      position = end
      return .text(start..<end)
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends a number or a missing value; for texts see ``appendText(_:)``.
  @inline(__always)
  mutating func append(_ value: TableRow.Value) {
    switch value {
    case .missing, .text: append(TableRow.Kind.missing.rawValue)
    case .integer(let number):
      append(TableRow.Kind.integer.rawValue)
      append(word: UInt64(bitPattern: number), count: 8)
    case .real(let number):
      append(TableRow.Kind.real.rawValue)
      // Normalises negative zero, since a database stores integers without its sign.
      append(word: (number + 0).bitPattern, count: 8)
    }
  }

  /// Appends a text; an empty one is a missing value.
  @inline(__always)
  mutating func appendText(_ write: (inout OutputSpan<UInt8>) -> Void) {
    let start = count
    append(word: UInt64(TableRow.Kind.text.rawValue), count: 1 + TableRow.lengthSize)
    let textStart = count
    write(&self)
    guard count > textStart else {
      removeLast(count - start)
      return append(TableRow.Value.missing)
    }
    let length = UInt32(count - textStart)
    var bytes = mutableSpan
    for index in 0..<TableRow.lengthSize {
      bytes[start + 1 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index))
    }
  }
}
