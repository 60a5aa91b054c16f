import Testing

@testable import SondeInputs

@Suite struct UTF16Tests {
  private func bytes(_ units: some Sequence<UInt16>, isBigEndian: Bool) -> [UInt8] {
    units.flatMap { unit in
      let pair = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
      return isBigEndian ? pair : pair.reversed()
    }
  }

  /// The text decoded in slices of some size; every order of bytes gives the same.
  private func text(_ units: [UInt16]) throws -> Set<String> {
    var texts: Set<String> = []
    for isBigEndian in [false, true] {
      for (piece, room) in [(1, 6), (3, 7), (Int.max, 65_536)] {
        let decoder = UTF16Decoder(isBigEndian: isBigEndian)
        let packed = bytes(units, isBigEndian: isBigEndian)
        let decoded = try decoder.all(packed, piece: { piece }, room: { room })
        texts.insert(String(decoding: decoded, as: UTF8.self))
      }
    }
    return texts
  }

  @Test func `text comes out as the UTF-8 that it means`() throws {
    let original = "8.8.8.8\r\n# é ü ß \u{7ff}\u{800}\u{fffe}\u{ffff} € 日本 \u{10000}\u{10ffff}🦊\n\0"
    #expect(try text(Array(original.utf16)) == [original])
    #expect(try text([]) == [""])
  }

  @Test func `a surrogate without its other half is replaced`() throws {
    #expect(try text([0xd83e]) == ["\u{fffd}"])
    #expect(try text([0x38, 0xd83e, 0x39]) == ["8\u{fffd}9"])
    #expect(try text([0x38, 0xdd8a, 0x39]) == ["8\u{fffd}9"])
    #expect(try text([0xd83e, 0xd83e, 0xdd8a]) == ["\u{fffd}🦊"])
    #expect(try text([0xdd8a, 0xd83e]) == ["\u{fffd}\u{fffd}"])
  }

  @Test func `half a character at the end is an end too early`() {
    for piece in [1, 2, .max] {
      let decoder = UTF16Decoder(isBigEndian: false)
      #expect(throws: DecoderError.self) {
        try decoder.all([0x38, 0, 0x0a], piece: { piece })
      }
    }
  }
}
