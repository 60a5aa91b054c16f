import SondeSystem
import Testing

@testable import SondeRecords

@Suite struct ControlCharactersTests {
  /// Every character but the surrogates.
  private static let scalars = (0...0x10_ffff as ClosedRange<UInt32>)
    .compactMap { Unicode.Scalar($0) }

  private static func goes(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isEscapedForPerson && !["\t", "\n", "\r"].contains(scalar)
  }

  @Test func `the characters that go are those that a person is shown as escapes, but white space`()
  {
    let wrong = Self.scalars.filter { scalar in
      ["\(scalar)", "a\(scalar)", "abcdefg\(scalar)", "é\(scalar)日本"].contains { text in
        Array(text.utf8).span.hasControls != Self.goes(scalar)
      }
    }
    #expect(wrong == [])
  }

  @Test func `all others stay as they are`() {
    let text = String(String.UnicodeScalarView(Self.scalars.filter { !Self.goes($0) }))
    #expect(text.withoutControls == text)
  }

  @Test(arguments: [
    ("Berlin", "Berlin"), ("", ""), ("\0", ""), ("\u{202e}", ""), ("\u{9b}31m", "31m"),
    ("a\0b", "a b"), ("a\r\n\t\0b", "a\r\n\t b"), ("a \0b", "a b"), ("a \0 b", "a  b"),
    ("\0a\0", "a"),
    ("\u{1b}[31mred\u{1b}[0m", "[31mred [0m"), ("a\u{2028}\u{2029}b\u{85}", "a b"),
    ("\u{200f}ישראל\u{200f}", "ישראל"), ("a\u{202e}b\u{2066}c\u{2068}d\u{61c}e", "abcde"),
    ("São\u{7f}Paulo", "São Paulo"), ("a\u{202e}\0\u{202c}b", "a b"),
  ])
  func `a blank stands for those between others`(text: String, expected: String) {
    #expect(text.withoutControls == expected)
    #expect(text.withoutControls.utf8.count <= text.utf8.count)
  }

  @Test func `a character other than printable ASCII is found wherever it stands`() {
    for length in 0...40 {
      let plain = [UInt8](repeating: UInt8(ascii: "~"), count: length)
      let isPrintable = plain.span.isPrintableASCII
      #expect(isPrintable)
      for (index, byte) in zip(plain.indices, [0x1f, 0x7f, 0x80, 0xff, 0x00].cycled(length)) {
        var other = plain
        other[index] = byte
        let isPrintable = other.span.isPrintableASCII
        #expect(!isPrintable)
      }
    }
  }

  @Test func `the texts of a record are cleaned behind its others`() {
    var (block, record) = (RecordBlock(), Record(address: nil, status: .ok))
    record[.city] = block.append(text: "Ber\0lin")
    record[.country] = block.append(text: "Germany")
    record[.isp] = block.append(text: "\u{202e}")
    let country = record[.country]
    record.removeControls(from: &block.bytes)
    #expect(block.text(.city, of: record) == "Ber lin")
    #expect(record[.country] == country)
    #expect(block.text(.isp, of: record) == nil)
  }
}

extension [UInt8] {
  fileprivate func cycled(_ length: Int) -> [UInt8] { (0..<length).map { self[$0 % count] } }
}
