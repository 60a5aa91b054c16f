import Testing

@testable import SondeAddresses

/// An address as the whole of a text.
@Suite struct HostAddressTests {
  @Test(arguments: [
    ("8.8.8.8", "8.8.8.8"), ("8.8.8.8:53", "8.8.8.8"), ("8.8.8.8:0", "8.8.8.8"),
    ("8.8.8.8:65535", "8.8.8.8"), (" \t8.8.8.8\r\n", "8.8.8.8"), ("[8.8.8.8]", "8.8.8.8"),
    ("[8.8.8.8]:25", "8.8.8.8"), ("::ffff:8.8.8.8", "8.8.8.8"), ("::ffff:8.8.8.8:53", "8.8.8.8"),
    ("2001:DB8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
    ("[2001:db8::1]:443", "2001:db8::1"), ("::", "::"), ("2001:db8::1:443", "2001:db8::1:443"),
    ("fe80::1%eth0", "fe80::1"), ("[fe80::1%eth0]:22", "fe80::1"),
  ])
  func `brackets, a port and white space may stand around`(text: String, address: String) {
    #expect(HostAddress(text.utf8Span.span)?.address == Address(address))
  }

  @Test(arguments: [
    "", " ", "x", "8.8.8", "8.8.8.8.8", "08.8.8.8", "8.8.8.8:", "8.8.8.8:65536", "8.8.8.8:0x35",
    "8.8.8.8:https", "8.8.8.8:53:53", "8.8.8.8/24", "8.8.8.8-8.8.8.9", "8.8.8.8 9.9.9.9",
    "[8.8.8.8", "8.8.8.8]", "[]",
    "[8.8.8.8]x", "[8.8.8.8]:", "[[::1]]", "[::1]:99999", "2001:db8::1%eth0",
    "fe80::1%", "fe80::/10", "fe80::1-fe80::2", "dead:beef", "deadbeef", "face", "(8.8.8.8)",
    "\"8.8.8.8\"", "8.8.8.8,9.9.9.9", "8.8.8.8\0",
  ])
  func `a text with more in it, or less, is none`(text: String) {
    #expect(HostAddress(text.utf8Span.span) == nil)
  }

  @Test(arguments: [(" fe80::1%eth0 ", 9..<13), ("[fe80::1%a-b]:1", 9..<12)])
  func `a zone keeps its place`(text: String, zone: Range<Int>) {
    #expect(HostAddress(text.utf8Span.span)?.zone == zone)
  }

  @Test func `a long text is no address, and costs nothing`() {
    let text = String(repeating: "f", count: 1 << 20) + ":1"
    #expect(HostAddress(text.utf8Span.span) == nil)
  }
}
