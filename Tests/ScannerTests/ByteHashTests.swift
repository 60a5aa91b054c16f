import Testing

@testable import Scanner

@Suite struct ByteHashTests {
  private static func hash(_ bytes: [UInt8], inPiecesOf size: Int) -> ByteHash {
    var hash = ByteHash()
    for start in stride(from: 0, to: bytes.count, by: size) {
      hash.update(bytes.span.extracting(start..<min(start + size, bytes.count)))
    }
    return hash
  }

  @Test func `the pieces do not matter`() {
    let bytes = (0..<301).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = Self.hash(bytes, inPiecesOf: bytes.count)
    for size in 1...bytes.count {
      #expect(Self.hash(bytes, inPiecesOf: size) == whole)
    }
    #expect(whole.count == 301)
  }

  @Test func `every byte and its place matter`() {
    let bytes = [UInt8](repeating: 0, count: 100)
    var values: Set<UInt64> = [Self.hash(bytes, inPiecesOf: 100).value]
    for index in bytes.indices {
      var other = bytes
      other[index] = 1
      values.insert(Self.hash(other, inPiecesOf: 100).value)
      values.insert(Self.hash(Array(bytes[..<index]), inPiecesOf: 100).value)
    }
    #expect(values.count == 201)
    #expect(ByteHash().value == 0)
  }
}
