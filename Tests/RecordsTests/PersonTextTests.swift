import SondeSystem
import Testing

@testable import SondeRecords

@Suite struct PersonTextTests {
  @Test func `every control character is escaped, nothing else is`() {
    let escaped: [ClosedRange<UInt32>] = [
      0x00...0x1f, 0x7f...0x9f, 0x61c...0x61c, 0x200e...0x200f, 0x2028...0x2029, 0x202a...0x202e,
      0x2066...0x2069,
    ]
    let short: [UInt32: String] = [9: "\\t", 10: "\\n", 13: "\\r"]
    var differences: [String] = []
    for value in UInt32(0)...0x2_ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let character = String(Character(scalar))
      let hexadecimal = String(value, radix: 16)
      let escape =
        short[value]
        ?? (value < 0x80
          ? "\\x" + (value < 16 ? "0" : "") + hexadecimal : "\\u{" + hexadecimal + "}")
      let isEscaped = escaped.contains { $0.contains(value) }
      let wanted = "a" + (isEscaped ? escape : character) + "b"
      if escapedForPerson("a" + character + "b") != wanted { differences.append(hexadecimal) }
    }
    #expect(differences == [])
  }

  @Test(arguments: [
    ("", ""), ("plain text, as it is \\n", "plain text, as it is \\n"),
    ("\u{1b}[2J\u{1b}]0;x\u{7}", "\\x1b[2J\\x1b]0;x\\x07"), ("a\r\nb", "a\\r\\nb"),
    ("evil\u{202e}gpj.exe", "evil\\u{202e}gpj.exe"), ("Zürich 東京 🇨🇭", "Zürich 東京 🇨🇭"),
    ("\u{9b}31m", "\\u{9b}31m"),
  ]) func `a text is escaped where it could harm`(text: String, shown: String) {
    #expect(escapedForPerson(text) == shown)
  }

  @Test(
    arguments: [
      ([0xff], "\\xff"), ([0x41, 0x80, 0x42], "A\\x80B"), ([0xc3], "\\xc3"),
      ([0xc0, 0x8a], "\\xc0\\x8a"), ([0xe0, 0x80, 0x8a], "\\xe0\\x80\\x8a"),
      ([0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"), ([0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"),
      ([0xe2, 0x80], "\\xe2\\x80"), ([0xe2, 0x80, 0x41], "\\xe2\\x80A"),
      ([0xf0, 0x9f, 0x98, 0x80], "😀"), ([0xc2, 0x85, 0x0a], "\\u{85}\\n"),
    ] as [([UInt8], String)]
  ) func `bytes that are no UTF-8 are shown`(bytes: [UInt8], shown: String) {
    var output: [UInt8] = Array("> ".utf8)
    appendEscapedForPerson(bytes.span, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "> " + shown)
  }

  @Test(arguments: [
    ("", 5, "", 0), ("abcde", 5, "abcde", 5), ("abcdef", 5, "abcd…", 5), ("abc", 1, "…", 1),
    ("a", 1, "a", 1), ("日本語", 6, "日本語", 6), ("日本語", 5, "日本…", 5), ("日本語", 4, "日…", 3),
    ("日", 1, "…", 1), ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}", 3),
    ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…", 2), ("ab\n", 4, "ab\\n", 4),
    ("ab\n", 3, "ab…", 3), ("\n\n", 3, "\\n…", 3), ("ab\u{301}c", 2, "a…", 2),
    ("abcdefghijklmnopé", 16, "abcdefghijklmno…", 16), ("éabcdefghijklmnop", 3, "éa…", 3),
  ]) func `a text is cut to columns, never within a character`(
    text: String,
    limit: Int,
    shown: String,
    columns: Int
  ) {
    var taken = 0
    let bytes = [UInt8](capacity: 200) { output in
      taken = output.append(forPerson: Array(text.utf8).span, limit: limit)
    }
    #expect(String(decoding: bytes, as: UTF8.self) == shown)
    #expect(taken == columns)
  }
}
