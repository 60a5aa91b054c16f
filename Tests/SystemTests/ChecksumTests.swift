import Testing

@testable import SondeSystem

@Suite struct ChecksumTests {
  private static let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 7) }

  private func hash(_ pieces: [ArraySlice<UInt8>]) -> UInt64 {
    var hash = Checksum()
    for piece in pieces { hash.update(Array(piece).span) }
    #expect(hash.count == pieces.reduce(0) { $0 + UInt64($1.count) })
    return hash.value
  }

  @Test func `pieces hash as the whole does`() {
    let bytes = Self.bytes
    let whole = hash([bytes[...]])
    for first in stride(from: 0, to: 100, by: 3) {
      for second in stride(from: first, to: 300, by: 7) {
        #expect(hash([bytes[..<first], bytes[first..<second], bytes[second...]]) == whole)
      }
    }
  }

  @Test func `a word hashes as its bytes do`() {
    for offset in 0..<40 {
      var (words, bytes) = (Checksum(), Checksum())
      words.update(Array(Self.bytes.prefix(offset)).span)
      bytes.update(Array(Self.bytes.prefix(offset)).span)
      words.update(word: 0x0102_0304_0506_0708)
      bytes.update(([8, 7, 6, 5, 4, 3, 2, 1] as [UInt8]).span)
      #expect(words == bytes)
    }
  }

  @Test func `every change of a byte, and every length, has another hash`() {
    var hashes: Set<UInt64> = [0]
    var count = 1
    for length in 0...Self.bytes.count {
      hashes.insert(hash([Self.bytes[..<length]]))
      if length > 0 { count += 1 }
    }
    for index in Self.bytes.indices {
      for bit in 0..<8 {
        var changed = Self.bytes
        changed[index] ^= 1 << UInt8(bit)
        hashes.insert(hash([changed[...]]))
        count += 1
      }
    }
    #expect(hashes.count == count)
  }

  @Test func `what goes on from a checksum depends on it, and nothing leaves it as it was`() {
    let bytes = Array(Self.bytes.prefix(40))
    #expect(Checksum.of(bytes.span) == hash([bytes[...]]))
    #expect(Checksum.of(bytes.span, after: 7) != Checksum.of(bytes.span, after: 8))
    #expect(Checksum.of([UInt8]().span, after: 7) == 7)
  }

  @Test func `nothing hashes to 0`() { #expect(hash([]) == 0) }
}
