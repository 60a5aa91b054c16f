/// An address that makes up a whole text, optionally with white space, brackets and a port.
///
/// Cells of tables and strings in JSON have this form: `8.8.8.8`, `8.8.8.8:53`, `2001:db8::1`,
/// `[2001:db8::1]`, `[2001:db8::1]:443`, `fe80::1%eth0`.
public struct HostAddress: Equatable, Sendable {
  /// The address.
  public let address: Address

  /// The position of the address in the text, its zone included.
  public let place: Range<Int>

  /// The position of a link-local address's zone ID in the text, without its `%`.
  public let zone: Range<Int>?

  /// Parses a text; fails if it is empty or holds anything else.
  ///
  /// With `refangs`, defanged marks are the marks that they stand for; only then it may allocate.
  public init?(_ text: Span<UInt8>, refangs: Bool) {
    guard refangs, let refanged = RefangedText(text) else {
      self.init(text)
      return
    }
    guard let host = HostAddress(refanged.bytes.span) else { return nil }
    self.init(
      host.address,
      at: refanged.original(host.place),
      zone: host.zone.map { refanged.original($0) }
    )
  }

  /// Parses a text without allocating; fails if it is empty or holds anything else.
  public init?(_ text: Span<UInt8>) {
    var (start, end) = (0, text.count)
    while start < end, text[start].isBlank { start &+= 1 }
    while start < end, text[end &- 1].isBlank { end &-= 1 }
    if let quad = DottedQuad(text, at: start) {
      guard quad.end == end || Self.isPort(text, quad.end..<end) else { return nil }
      self.init(Address(ipv4: quad.number), at: quad.start..<quad.end, zone: nil)
      return
    }
    guard start < end, end &- start <= ListItem.longestItem else { return nil }
    if text[start] == UInt8(ascii: "[") {
      self.init(bracketed: text, start..<end)
    } else {
      self.init(plain: text, start..<end)
    }
  }

  private init?(bracketed text: Span<UInt8>, _ range: Range<Int>) {
    guard let close = range.first(where: { text[$0] == UInt8(ascii: "]") }) else { return nil }
    let isEnd = close &+ 1 == range.upperBound
    guard isEnd || Self.isPort(text, close &+ 1..<range.upperBound) else { return nil }
    guard let item = Self.item(text, range.lowerBound &+ 1..<close) else { return nil }
    self = item
  }

  /// Parses an address, or an IPv6 address with a dotted tail and a port: `::ffff:8.8.8.8:53`.
  private init?(plain text: Span<UInt8>, _ range: Range<Int>) {
    if let item = Self.item(text, range) {
      self = item
      return
    }
    guard let colon = range.last(where: { text[$0] == UInt8(ascii: ":") }),
      Self.isPort(text, colon..<range.upperBound)
    else { return nil }
    let head = range.lowerBound..<colon
    guard head.contains(where: { text[$0] == UInt8(ascii: ".") }),
      let address = Address(ascii: text.extracting(head))
    else { return nil }
    self.init(address, at: head, zone: nil)
  }

  private init(_ address: Address, at place: Range<Int>, zone: Range<Int>?) {
    (self.address, self.place, self.zone) = (address, place, zone)
  }

  /// Parses an address without anything around it but a zone.
  private static func item(_ text: Span<UInt8>, _ range: Range<Int>) -> HostAddress? {
    let item = text.extracting(range)
    if let address = Address(ascii: item) { return HostAddress(address, at: range, zone: nil) }
    // All link-local addresses begin with this letter.
    guard !item.isEmpty, item[0] | 0x20 == UInt8(ascii: "f") else { return nil }
    guard case .address(let address, let zone?) = ListItem.parseValid(range, of: text) else {
      return nil
    }
    return HostAddress(address, at: range, zone: zone)
  }

  /// Whether a range is a colon and a 16-bit number.
  private static func isPort(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard (2...6).contains(range.count), text[range.lowerBound] == UInt8(ascii: ":") else {
      return false
    }
    var number = 0
    for index in range.dropFirst() {
      guard text[index].isDigit else { return false }
      number = number &* 10 &+ Int(text[index] & 0xf)
    }
    return number <= Int(UInt16.max)
  }
}
