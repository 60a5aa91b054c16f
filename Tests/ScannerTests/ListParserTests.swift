import Testing

@testable import SondeInputs
@testable import SondeRecords

@Suite struct ListParserTests {
  @Test func `lines are counted through blank ones, comments and all line ends`() {
    let text = "\u{feff}8.8.8.8\r\n\n  # a comment\n\t1.1.1.1 # another\r\n \r\n9.9.9.9"
    #expect(entries(text) == ["1 8.8.8.8 ok", "4 1.1.1.1 ok", "6 9.9.9.9 ok"])
  }

  @Test func `a byte-order mark counts at the start of an input alone`() {
    #expect(entries("8.8.8.8\n\u{feff}1.1.1.1\n").last?.contains("invalid") == true)
    var feeder = Feeder()
    for input in 0...1 as ClosedRange<UInt32> {
      feeder.feed(Array("\u{feff}8.8.8.\(input)\n".utf8), input: input)
    }
    #expect(feeder.records == ["1 8.8.8.0 ok", "1 8.8.8.1 ok"])
  }

  @Test func `an input without an entry has none`() {
    for text in ["", "\n", "\u{feff}", "#", "# 8.8.8.8", "\r\n\r\n", " \t\n"] {
      #expect(entries(text) == [])
    }
  }

  @Test func `blocks and ranges are every address of them`() {
    #expect(
      entries("8.8.8.5/30\n2001:db8:1::ffff-2001:db8:1::1:1\n255.255.255.254-255.255.255.255\n")
        .map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
          "1 8.8.8.4", "1 8.8.8.5", "1 8.8.8.6", "1 8.8.8.7",
          "2 2001:db8:1::ffff", "2 2001:db8:1::1:0", "2 2001:db8:1::1:1",
          "3 255.255.255.254", "3 255.255.255.255",
        ]
    )
  }

  @Test func `a block over the limit is one invalid record that says how many it holds`() {
    var feeder = Feeder(maximum: 4)
    feeder.feed("8.8.8.0/30\n  8.8.8.0/29 # two too many\n::/0\n0.0.0.0/0\n")
    #expect(feeder.records.count == 7)
    #expect(feeder.records[4].hasPrefix("2 8.8.8.0/29 invalid column 3: "))
    #expect(feeder.records[4].contains(" 8 "))
    #expect(feeder.records[5].contains("340282366920938463463374607431768211456"))
    #expect(feeder.records[6].hasPrefix("4 0.0.0.0/0 invalid column 1: "))
  }

  @Test func `an address is an entry once, however it is written`() {
    var feeder = Feeder()
    feeder.feed("8.8.8.8\n::ffff:8.8.8.8\n::ffff:808:808\n8.8.8.8/31\n2001:DB8::\n2001:db8:0::\n")
    #expect(
      feeder.records.map { $0.split(separator: " ")[1] } == ["8.8.8.8", "8.8.8.9", "2001:db8::"]
    )
    #expect(feeder.duplicates == 4)
  }

  @Test func `with duplicates kept every occurrence is an entry`() {
    var feeder = Feeder(keepsDuplicates: true)
    feeder.feed("8.8.8.8\n::ffff:8.8.8.8\nx\nx\n8.8.8.8/31\n")
    #expect(feeder.records.count == 6)
    #expect(feeder.duplicates == 0)
  }

  @Test func `invalid items are never duplicates`() {
    var feeder = Feeder()
    feeder.feed("x\nx\nx\n")
    #expect(feeder.records.count == 3)
    #expect(feeder.duplicates == 0)
  }

  @Test func `a duplicate in a later input is one too`() {
    var feeder = Feeder()
    feeder.feed(Array("8.8.8.8\n".utf8), input: 0)
    feeder.feed(Array("\n8.8.8.8\n1.1.1.1\n".utf8), input: 1)
    #expect(feeder.records == ["1 8.8.8.8 ok", "3 1.1.1.1 ok"])
    #expect(feeder.duplicates == 1)
  }

  @Test func `the zone tells link-local addresses apart`() {
    var feeder = Feeder()
    feeder.feed("fe80::1%eth0\nfe80::1%eth1\nfe80::1\nFE80:0::1%eth0\nfe80::1\n")
    #expect(
      feeder.records.map { $0.split(separator: " ")[1] }
        == ["fe80::1%eth0", "fe80::1%eth1", "fe80::1"]
    )
    #expect(feeder.duplicates == 2)
  }

  @Test func `special-purpose addresses are reserved, with their block`() {
    #expect(entries("10.1.2.3\n") == ["1 10.1.2.3 reserved 10.0.0.0/8 Private-Use (RFC 1918)"])
  }

  @Test func `a raw item is at most 256 bytes of valid UTF-8`() {
    let table: [[UInt8]] = [
      Array(repeating: 0x78, count: 300), Array(repeating: 0xff, count: 300),
      Array(String(repeating: "é", count: 200).utf8),
      [0x78] + Array(String(repeating: "é", count: 200).utf8),
      Array(String(repeating: "€", count: 100).utf8), Array(String(repeating: "😀", count: 80).utf8),
      Array(repeating: 0x78, count: 255) + [0xe2, 0x82, 0xac], Array(repeating: 0x80, count: 260),
      [0x78, 0, 0x79], [0xff], [0xe2, 0x82],
    ]
    for bytes in table {
      let text = bytes.span.repaired(maximum: 256)
      #expect(text.utf8.count <= 256)
      // As much as fits: the next character would not.
      let whole = String(decoding: bytes, as: UTF8.self)
      #expect(whole.hasPrefix(text) || bytes.contains(0x80))
      #expect(text.utf8.count > 250 || text == whole)
    }
  }

  @Test func `an operand has no line, and no comment`() {
    var feeder = Feeder()
    for literal in ["8.8.8.8", "8.8.8.9/31", "1.1.1.1#x", "", "#", "x"] {
      feeder.take(literal: literal)
    }
    #expect(feeder.records.prefix(2) == ["0 8.8.8.8 ok", "0 8.8.8.9 ok"])
    #expect(
      feeder.records.dropFirst(2).map { $0.contains(" invalid column ") } == [
        true, true, true, true,
      ]
    )
    #expect(feeder.duplicates == 1)
  }
}
