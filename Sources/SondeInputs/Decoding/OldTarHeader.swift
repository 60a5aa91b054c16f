/// The header of a tar archive older than POSIX, without a magic number, as written by Seventh
/// Edition Unix and `tar --format=v7`.
enum OldTarHeader {
  /// The bytes of a header (pax(1), ustar Interchange Format, whose fields begin alike).
  static let size = 512

  /// The position of its checksum: octal digits after optional blanks, followed by a NUL or blank.
  private static let checksum = 148..<156

  /// Whether the first bytes are such a header; `nil` if there are too few.
  static func matches(_ beginning: [UInt8]) -> Bool? {
    // A pipe with a complete line must not wait for more bytes.
    if beginning.count < size, beginning.contains(UInt8(ascii: "\n")) { return false }
    guard beginning.count >= checksum.upperBound else { return nil }
    guard let expected = octal(beginning[checksum]) else { return false }
    guard beginning.count >= size else { return nil }
    return sums(of: beginning.prefix(size)).contains(expected)
  }

  /// The sums of a header's bytes; some old programs treated them as signed.
  private static func sums(of header: ArraySlice<UInt8>) -> [Int] {
    // The checksum's own bytes count as blanks.
    let others = header[..<checksum.lowerBound] + header[checksum.upperBound...]
    let blanks = 0x20 * checksum.count
    return [
      others.reduce(blanks) { $0 + Int($1) },
      others.reduce(blanks) { $0 + Int(Int8(bitPattern: $1)) },
    ]
  }

  static func octal(_ field: ArraySlice<UInt8>) -> Int? {
    let text = field.drop { $0 == 0x20 }
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    guard !digits.isEmpty, text.dropFirst(digits.count).allSatisfy({ $0 == 0 || $0 == 0x20 }) else {
      return nil
    }
    return digits.reduce(0) { $0 << 3 | Int($1 & 7) }
  }
}
