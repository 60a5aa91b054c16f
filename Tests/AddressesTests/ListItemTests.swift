import TestSupport
import Testing

@testable import SondeAddresses

@Suite struct ListItemTests {
  private static func parse(_ line: String) -> ListItem { ListItem.parse(line: line.utf8Span.span) }

  private static func parse(_ bytes: [UInt8]) -> ListItem { ListItem.parse(line: bytes.span) }

  private static func fault(_ item: ListItem) -> ItemFault? {
    if case .invalid(let fault) = item { fault } else { nil }
  }

  @Test(arguments: ["", " ", "\t \r", "#", "# 8.8.8.8", "  # x", "\r", "\u{a0}", "\u{3000} "])
  func `a blank line or a comment holds nothing`(line: String) {
    #expect(Self.parse(line) == .nothing)
  }

  @Test(arguments: [
    "8.8.8.8", " 8.8.8.8", "8.8.8.8 ", "\t8.8.8.8\t", "8.8.8.8\r", "8.8.8.8 # x", "8.8.8.8#x",
    "8.8.8.8#", "::ffff:8.8.8.8", " ::FFFF:808:808 # mapped", "\u{a0}8.8.8.8\u{2003}",
    "\u{3000}8.8.8.8",
  ])
  func `white space and comments are no part of an item`(line: String) {
    #expect(Self.parse(line) == .address(Address(ipv4: 0x0808_0808), zone: nil))
  }

  @Test func `a comment may hold any bytes`() {
    #expect(Self.parse(Array("8.8.8.8 # caf".utf8) + [0xe9, 0, 0xff]) == Self.parse("8.8.8.8"))
  }

  @Test(arguments: [
    ("fe80::1%eth0", "eth0"), ("  FE80::1%br-lan # x", "br-lan"), ("febf::1%1", "1"),
    ("fe80::1%eth0.100", "eth0.100"), ("fe80::1%25eth0", "25eth0"), ("fe80::1%é", "é"),
    ("fe80::1%a:b", "a:b"),
  ])
  func `a link-local address keeps its zone`(line: String, zone: String) throws {
    guard case .address(let address, let range) = Self.parse(line) else {
      Issue.record("\(Self.parse(line))")
      return
    }
    #expect(address.isLinkLocal && !address.isIPv4)
    #expect(try String(decoding: Array(line.utf8)[#require(range)], as: UTF8.self) == zone)
  }

  @Test func `any other item is invalid, with column, reason and correction`() {
    var wrong: [String] = []
    for (item, column, reason) in ListItemCases.invalid {
      let fault = Self.fault(Self.parse(item))
      if fault?.column != column || fault?.reason != reason {
        wrong.append("\(item): \(fault?.message ?? "valid"), not column \(column): \(reason)")
      }
    }
    #expect(wrong == [])
  }

  @Test func `every correction is an item, and is offered on the command line too`() {
    var wrong: [String] = []
    for (item, _, reason) in ListItemCases.invalid {
      // A `#` begins no comment there, and is in none of the cases.
      if Self.fault(ListItem.parse(operand: item.utf8Span.span))?.reason != reason {
        wrong.append("\(item) as an operand")
      }
      let parts = reason.split(separator: "; write ")
      if parts.count == 2, Self.fault(Self.parse(String(parts[1]))) != nil { wrong.append(reason) }
    }
    #expect(wrong == [])
  }

  @Test func `columns count the characters of the whole line`() {
    let line = "\u{a0} 8.8.8.8:53 # port"
    let fault = Self.fault(Self.parse(line))
    #expect(fault?.message == "column 10: has a port; write 8.8.8.8")
    #expect(fault?.item == 3..<13)
  }

  /// Lines as a text, bytes that are none, and a text.
  static let badLines: [(head: String, bytes: [UInt8], tail: String, message: String)] = [
    ("8.8.8.8", [0], "", "column 8: holds a NUL byte"),
    ("", [0], "", "column 1: holds a NUL byte"),
    ("8", [0, 0x2e, 0], "8", "column 2: holds a NUL byte"),
    ("fe80::1%a", [0], "", "column 10: holds a NUL byte"),
    ("8.8.", [0xff], ".8", "column 5: is not valid UTF-8"),
    ("é", [0xe9], "", "column 2: is not valid UTF-8"),
    ("", [0xc0, 0xae], "", "column 1: is not valid UTF-8"),
    ("", [0xed, 0xa0, 0x80], "", "column 1: is not valid UTF-8"),
    ("", [0xff, 0xfe, 0x38, 0x00], "", "column 1: is not valid UTF-8"),
    ("fe80::1%", [0xff], "", "column 9: is not valid UTF-8"),
    ("8.8.8.8", [0xe2, 0x80], "", "column 8: is not valid UTF-8"),
    ("8.8.8.8", [0x1b], "[0m", "column 8: holds a control character (U+001B)"),
    ("8.8.8.8", [0x7f], "", "column 8: holds a control character (U+007F)"),
  ]

  @Test func `bad bytes are named`() {
    var wrong: [String] = []
    for (head, bytes, tail, message) in Self.badLines {
      let found = Self.fault(Self.parse(Array(head.utf8) + bytes + Array(tail.utf8)))?.message
      if found != message { wrong.append("\(found ?? "valid"), not \(message)") }
    }
    #expect(wrong == [])
  }

  @Test func `an item too long is invalid`() {
    let reason = "column 1: is 257 bytes long, too long for an address"
    #expect(
      Self.fault(Self.parse("fe80::1%" + String(repeating: "a", count: 249)))?.message == reason
    )
    #expect(Self.fault(Self.parse("fe80::1%" + String(repeating: "a", count: 248))) == nil)
  }

  @Test(
    arguments: ["1", ":", ".", "8.8.8.8 ", "-", "%", "[.]", "\u{a0}", "a,", "\0", "é", "\"", "/"]
  )
  func `a long line is invalid, whatever it holds`(piece: String) {
    let line = Array(
      repeatElement(Array(piece.utf8), count: 300_000 / piece.utf8.count).joined()
    )
    let item = Self.parse(line)
    #expect(piece == "\u{a0}" ? item == .nothing : Self.fault(item) != nil)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a line of ten megabytes is read like any other`() {
    let junk = [UInt8](repeating: 0x61, count: 10_000_000)
    let reason = "column 1: is 10000000 bytes long, too long for an address"
    #expect(Self.fault(Self.parse(junk))?.message == reason)
    let blanks = [UInt8](repeating: 0x20, count: 5_000_000)
    #expect(Self.parse(blanks + Array("8.8.8.8".utf8) + blanks) == Self.parse("8.8.8.8"))
  }

  @Test func `an operand has no comment and is never nothing`() {
    #expect(Self.fault(ListItem.parse(operand: "8.8.8.8#x".utf8Span.span)) != nil)
    #expect(Self.fault(ListItem.parse(operand: "".utf8Span.span))?.message == "column 1: is empty")
    #expect(ListItem.parse(operand: " 8.8.8.8 ".utf8Span.span) == Self.parse("8.8.8.8"))
  }

  @Test func `no text makes the parser stop or trap`() {
    var source = NearAddresses(generator: SeededGenerator(seed: 7))
    let joints = [
      "-", " ", ",", "/", "\"", "[", "]", "://", "[.]", "%", "#", "*", "0x", "\u{200b}",
    ]
    var withoutReason = 0
    for _ in 0..<20_000 {
      let joint = joints.randomElement(using: &source.generator) ?? ""
      let line = source.next() + joint + source.next() + joint
      if let fault = Self.fault(Self.parse(line)) {
        withoutReason += fault.reason.isEmpty || fault.column < 1 ? 1 : 0
      }
    }
    #expect(withoutReason == 0)
  }
}
