import Testing

@testable import SondeAddresses

@Suite struct AddressRangeTests {
  /// Blocks with their ends and their size.
  static let blocks: [(text: String, first: String, last: String, count: String)] = [
    ("8.8.8.5/30", "8.8.8.4", "8.8.8.7", "4"), ("8.8.8.8/32", "8.8.8.8", "8.8.8.8", "1"),
    ("0.0.0.0/0", "0.0.0.0", "255.255.255.255", "4294967296"),
    ("255.255.255.255/31", "255.255.255.254", "255.255.255.255", "2"),
    ("2001:db8::/64", "2001:db8::", "2001:db8::ffff:ffff:ffff:ffff", "18446744073709551616"),
    ("2001:db8::1/128", "2001:db8::1", "2001:db8::1", "1"),
    (
      "::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
      "340282366920938463463374607431768211456"
    ),
    (
      "::/1", "::", "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
      "170141183460469231731687303715884105728"
    ),
    ("::ffff:8.8.8.0/120", "8.8.8.0", "8.8.8.255", "256"),
    ("::ffff:0:0/96", "0.0.0.0", "255.255.255.255", "4294967296"),
    ("::ffff:0:0/95", "::fffe:0:0", "255.255.255.255", "8589934592"),
    ("1.1.1.1-1.1.1.9", "1.1.1.1", "1.1.1.9", "9"),
    ("1.1.1.1 - 1.1.1.1", "1.1.1.1", "1.1.1.1", "1"),
    ("255.255.255.250-255.255.255.255", "255.255.255.250", "255.255.255.255", "6"),
    ("::ffff:1.1.1.1-1.1.1.9", "1.1.1.1", "1.1.1.9", "9"),
    ("2001:db8::1\t-\t2001:db8::ffff", "2001:db8::1", "2001:db8::ffff", "65535"),
    (
      "::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::1",
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "340282366920938463463374607431768211455"
    ),
  ]

  @Test func `a block or range has its ends and its size`() {
    var wrong: [String] = []
    for block in Self.blocks {
      guard case .range(let range) = ListItem.parse(line: block.text.utf8Span.span),
        "\(range.first)" == block.first, "\(range.last)" == block.last,
        range.countText == block.count
      else {
        wrong.append(block.text)
        continue
      }
      let ends = (range[0], range[range.lastOffset])
      if ends != (range.first, range.last) { wrong.append(block.text) }
    }
    #expect(wrong == [])
  }

  @Test func `the length of an IPv4 block counts its 32 bits`() {
    let range = AddressRange(block: Address(ipv4: 0x0a01_0203), length: 8)
    #expect("\(range.first) \(range.last)" == "10.0.0.0 10.255.255.255")
  }

  @Test func `a range takes one family, in ascending order`() throws {
    let (low, high) = (Address(ipv4: 1), Address(ipv4: 2))
    #expect(AddressRange(first: high, last: low) == nil)
    #expect(AddressRange(first: low, last: Address(high: 1, low: 0)) == nil)
    #expect(AddressRange(first: Address(high: 0, low: 1), last: low) == nil)
    let range = try #require(AddressRange(first: low, last: high))
    #expect(range.contains(low) && range.contains(high) && !range.contains(Address(ipv4: 3)))
  }

  @Test func `a range past the limit says how many it holds`() throws {
    let line = Array("  2001:db8::/64  # too large".utf8)
    guard case .range(let range) = ListItem.parse(line: line.span) else {
      Issue.record("no range")
      return
    }
    #expect(range.exceeds(65536))
    let fault = ItemFault(expanding: range, limit: 65536, line: line.span)
    #expect(
      fault.message
        == "column 3: holds 18446744073709551616 addresses, more than --max-expand 65536 allows"
    )
    #expect(fault.item == 2..<15)
    let small = AddressRange(block: Address(ipv4: 0), length: 16)
    #expect(!small.exceeds(65536) && small.exceeds(65535))
  }
}
