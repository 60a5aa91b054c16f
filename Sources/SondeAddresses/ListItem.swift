/// The content of one line of a list.
public enum ListItem: Equatable, Sendable {
  /// Only white space or a comment.
  case nothing

  /// One address, and the position of a link-local address's zone ID in the line, without its `%`.
  case address(Address, zone: Range<Int>?)

  /// A CIDR block or a range, which may be too large to expand.
  case range(AddressRange)

  /// Invalid text, with the reason.
  case invalid(ItemFault)
}

extension ListItem {
  /// The length of the longest item that is parsed, in bytes; longer ones are invalid.
  static let longestItem = 256

  /// Parses one line of a list, without its line end.
  ///
  /// White space around the item, a return included, and a comment after `#` are ignored. Takes
  /// linear time and allocates only for invalid items. With `refangs`, defanged marks are the marks
  /// that they stand for.
  public static func parse(line: Span<UInt8>, refangs: Bool = false) -> ListItem {
    // Most lines consist of an IPv4 address.
    if let quad = DottedQuad(line, at: 0), quad.end == line.count {
      return .address(Address(ipv4: quad.number), zone: nil)
    }
    let item = itemRange(in: line)
    return item.isEmpty ? .nothing : parse(item, of: line, refangs: refangs)
  }

  /// Parses consecutive lines that consist of an IPv4 address, as in most lists.
  ///
  /// The text has whole lines, optionally with the beginning of another, of which at most `limit`
  /// are parsed. Returns the start of the first line that was not parsed.
  public static func parsePlainLines(
    _ text: Span<UInt8>,
    from start: Int,
    into addresses: inout [Address],
    limit: Int
  ) -> Int {
    var position = start
    for _ in 0..<limit {
      guard let quad = DottedQuad(text, at: position) else { break }
      var end = quad.end
      if text.byte(end) == UInt8(ascii: "\r") { end &+= 1 }
      guard text.byte(end) == UInt8(ascii: "\n") else { break }
      addresses.append(Address(ipv4: quad.number))
      position = end &+ 1
    }
    return position
  }

  /// Parses an operand of the command line: an item in which `#` begins no comment.
  ///
  /// An empty operand is invalid, so the result is never ``nothing``.
  public static func parse(operand: Span<UInt8>, refangs: Bool = false) -> ListItem {
    let item = parse(trim(0..<operand.count, of: operand), of: operand, refangs: refangs)
    guard item == .nothing else { return item }
    return .invalid(ItemFault(column: 1, item: 0..<0, reason: "is empty"))
  }

  /// The position of the item in a line, without comment and white space.
  public static func itemRange(in line: Span<UInt8>) -> Range<Int> {
    var end = 0
    while end < line.count, line[end] != UInt8(ascii: "#") { end &+= 1 }
    return trim(0..<end, of: line)
  }

  private static func parse(
    _ item: Range<Int>,
    of line: Span<UInt8>,
    refangs: Bool
  ) -> ListItem {
    guard refangs, let refanged = RefangedText(line.extracting(item)) else {
      return parse(item, of: line)
    }
    let text = refanged.bytes
    switch parse(0..<text.count, of: text.span) {
    case .nothing: return .nothing
    case .address(let address, let zone):
      return .address(address, zone: zone.map { refanged.original($0).moved(by: item.lowerBound) })
    case .range(let range): return .range(range)
    case .invalid: return .invalid(ItemFault(of: item, in: line, refanged))
    }
  }

  private static func parse(_ item: Range<Int>, of line: Span<UInt8>) -> ListItem {
    if let valid = parseValid(item, of: line) { return valid }
    // Non-ASCII white space is searched for only where it can matter.
    let inner = trimUnicode(item, of: line)
    if inner.isEmpty { return .nothing }
    if inner != item, let valid = parseValid(inner, of: line) { return valid }
    return .invalid(ItemFault(of: inner, in: line))
  }

  private static func trim(_ range: Range<Int>, of line: Span<UInt8>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, line[start].isBlank { start &+= 1 }
    while start < end, line[end &- 1].isBlank { end &-= 1 }
    return start..<end
  }
}

// MARK: - Valid items

extension ListItem {
  /// Parses a valid item; `nil` for any other.
  static func parseValid(_ item: Range<Int>, of line: Span<UInt8>) -> ListItem? {
    guard item.count <= longestItem else { return nil }
    let text = line.extracting(item)
    if let address = Address(ascii: text) { return .address(address, zone: nil) }
    guard let mark = text.indices.first(where: { isMark(text[$0]) }) else { return nil }
    switch text[mark] {
    case UInt8(ascii: "/"): return block(text, slash: mark).map { .range($0) }
    case UInt8(ascii: "-"): return range(text, dash: mark).map { .range($0) }
    default: return zoned(text, percent: mark, at: item.lowerBound)
    }
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "%")
  }

  /// Parses `ADDRESS/LENGTH`; the length counts the bits of the address's textual form.
  private static func block(_ text: Span<UInt8>, slash: Int) -> AddressRange? {
    let head = text.extracting(0..<slash)
    guard let address = Address(ascii: head) else { return nil }
    guard let length = PrefixLength(text.extracting(slash + 1..<text.count)) else { return nil }
    let isColonForm = head.indices.contains { head[$0] == UInt8(ascii: ":") }
    guard length.value <= (isColonForm ? 128 : 32) else { return nil }
    return AddressRange(block: address, mappedLength: length.value + (isColonForm ? 0 : 96))
  }

  /// Parses `FIRST-LAST`, optionally with white space around the dash.
  private static func range(_ text: Span<UInt8>, dash: Int) -> AddressRange? {
    let (head, tail) = (trim(0..<dash, of: text), trim(dash + 1..<text.count, of: text))
    guard let first = Address(ascii: text.extracting(head)) else { return nil }
    guard let last = Address(ascii: text.extracting(tail)) else { return nil }
    return AddressRange(first: first, last: last)
  }

  /// Parses `ADDRESS%ZONE` of a link-local IPv6 address (RFC 4007 §11).
  ///
  /// A zone ID is any text without `%`, as in Python's `ipaddress`, except `/`, comma, white space
  /// and control characters, and except text that makes it the first half of a range.
  private static func zoned(_ text: Span<UInt8>, percent: Int, at offset: Int) -> ListItem? {
    guard let address = Address(ascii: text.extracting(0..<percent)) else { return nil }
    guard address.isLinkLocal, !address.isIPv4 else { return nil }
    let zone = percent + 1..<text.count
    guard !zone.isEmpty, zone.allSatisfy({ isZone(text[$0]) }) else { return nil }
    guard Text.isUTF8(text), !endsAsRange(text.extracting(zone)) else { return nil }
    return .address(address, zone: zone.lowerBound + offset..<zone.upperBound + offset)
  }

  private static func isZone(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != 0x7f && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "/")
      && byte != UInt8(ascii: ",")
  }

  private static func endsAsRange(_ zone: Span<UInt8>) -> Bool {
    zone.indices.contains { index in
      zone[index] == UInt8(ascii: "-")
        && Address(ascii: zone.extracting(index + 1..<zone.count)) != nil
    }
  }
}

extension Range<Int> {
  func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}

/// A prefix length of one to three decimal digits without a leading zero.
struct PrefixLength {
  let value: Int

  init?(_ text: Span<UInt8>) {
    guard (1...3).contains(text.count) else { return nil }
    guard text.count == 1 || text[0] != UInt8(ascii: "0") else { return nil }
    var value = 0
    for index in text.indices {
      guard text[index].isDigit else { return nil }
      value = value * 10 + Int(text[index] & 0xf)
    }
    self.value = value
  }
}
