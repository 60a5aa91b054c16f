/// The header of a tar archive older than POSIX, which no magic number tells: Seventh Edition Unix
/// and `tar --format=v7` write it.
enum OldTarHeader {
  /// The bytes of a header (pax(1), ustar Interchange Format, whose fields begin alike).
  static let size = 512

  /// Where its checksum stands: octal digits, with blanks before and a NUL or blank behind them.
  private static let checksum = 148..<156

  /// Whether a beginning is such a header; `nil` where it is too short to tell.
  static func matches(_ beginning: [UInt8]) -> Bool? {
    // A whole line of a pipe is not held up for what may stand behind it.
    if beginning.count < size, beginning.contains(UInt8(ascii: "\n")) { return false }
    guard beginning.count >= checksum.upperBound else { return nil }
    guard let expected = octal(beginning[checksum]) else { return false }
    guard beginning.count >= size else { return nil }
    return sums(of: beginning.prefix(size)).contains(expected)
  }

  /// The sum of a header's bytes; some old programs took them for signed ones.
  private static func sums(of header: ArraySlice<UInt8>) -> [Int] {
    // The checksum's own bytes count as blanks.
    let others = header[..<checksum.lowerBound] + header[checksum.upperBound...]
    let blanks = 0x20 * checksum.count
    return [
      others.reduce(blanks) { $0 + Int($1) },
      others.reduce(blanks) { $0 + Int(Int8(bitPattern: $1)) },
    ]
  }

  private static func octal(_ field: ArraySlice<UInt8>) -> Int? {
    let text = field.drop { $0 == 0x20 }
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    guard !digits.isEmpty, text.dropFirst(digits.count).allSatisfy({ $0 == 0 || $0 == 0x20 }) else {
      return nil
    }
    return digits.reduce(0) { $0 << 3 | Int($1 & 7) }
  }
}
