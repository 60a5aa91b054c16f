extension Address {
  /// Parses a text that is one address and nothing else, without allocating.
  ///
  /// Accepts what Python's `ipaddress` accepts, but no zone ID: four decimal octets without leading
  /// zeros, or the IPv6 forms of RFC 4291 §2.2, including a dotted tail. The mapped form
  /// `::ffff:8.8.8.8` gives the IPv4 address.
  public init?(ascii text: Span<UInt8>) {
    if let quad = DottedQuad(text, at: 0) {
      guard quad.end == text.count else { return nil }
      self.init(ipv4: quad.number)
    } else {
      self.init(groups: text)
    }
  }

  /// Parses a text that is one address, like ``init(ascii:)``.
  public init?(_ text: String) { self.init(ascii: text.utf8Span.span) }

  /// The address as a 128-bit number.
  @inlinable
  public var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Creates an address from its 128-bit number.
  @inlinable
  public init(number: UInt128) {
    self.init(
      high: UInt64(truncatingIfNeeded: number >> 64),
      low: UInt64(truncatingIfNeeded: number)
    )
  }
}

extension Address {
  /// The longest text of an IPv6 address, with a dotted tail.
  static let longestText = 45

  /// Parses the colon-separated groups of an IPv6 address (RFC 4291 §2.2).
  init?(groups text: Span<UInt8>) {
    guard text.count >= 2, text.count <= Self.longestText else { return nil }
    var parser = GroupParser()
    var position = 0
    if text[0] == UInt8(ascii: ":") {
      guard text[1] == UInt8(ascii: ":") else { return nil }
      parser.gap = 0
      position = 2
    }
    while position < text.count {
      guard let next = parser.readGroup(of: text, at: position) else { return nil }
      position = next
    }
    guard let number = parser.number else { return nil }
    self.init(number: number)
  }
}

/// The groups of an IPv6 address read so far.
struct GroupParser {
  var bits: UInt128 = 0
  var count = 0

  /// The number of groups before `::`; negative if there is no `::`.
  var gap = -1

  /// Reads one group and the colons after it, or a dotted tail; returns the position after it.
  @inline(__always)
  mutating func readGroup(of text: Span<UInt8>, at start: Int) -> Int? {
    var (position, value) = (start, UInt64(0))
    while position < text.count {
      let byte = text[position]
      guard byte.isHexDigit else { break }
      value = value << 4 | UInt64(byte.hexValue)
      position &+= 1
    }
    guard position > start else { return nil }
    if position < text.count, text[position] == UInt8(ascii: ".") {
      guard let tail = DottedQuad(text, at: start), tail.end == text.count else { return nil }
      bits = bits << 32 | UInt128(tail.number)
      count &+= 2
      return tail.end
    }
    guard position &- start <= 4 else { return nil }
    bits = bits << 16 | UInt128(value)
    count &+= 1
    return skipColons(of: text, at: position)
  }

  /// Skips a colon that is followed by a group, or the `::` of the address.
  @inline(__always)
  private mutating func skipColons(of text: Span<UInt8>, at position: Int) -> Int? {
    guard position < text.count else { return position }
    guard text[position] == UInt8(ascii: ":"), position &+ 1 < text.count else { return nil }
    guard text[position &+ 1] == UInt8(ascii: ":") else { return position &+ 1 }
    guard gap < 0 else { return nil }
    gap = count
    return position &+ 2
  }

  var number: UInt128? {
    guard gap >= 0 else { return count == 8 ? bits : nil }
    // `::` stands for at least one group.
    guard count <= 7 else { return nil }
    let tail = UInt128(16 * (count - gap))
    let low = bits & (1 << tail - 1)
    return (bits >> tail) << UInt128(128 - 16 * gap) | low
  }
}
