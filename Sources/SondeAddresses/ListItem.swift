/// What one line of a list holds.
public enum ListItem: Equatable, Sendable {
  /// Nothing but white space or a comment.
  case nothing

  /// One address; `zone` is where the zone id of a link-local address lies in the line, without
  /// its `%`.
  case address(Address, zone: Range<Int>?)

  /// A CIDR block or a range; it may hold more addresses than one wants to expand.
  case range(AddressRange)

  /// Anything else, with the reason.
  case invalid(ItemFault)
}

extension ListItem {
  /// The longest item that is read, in bytes; anything longer is invalid.
  static let longestItem = 256

  /// Reads one line of a list.
  ///
  /// White space around the item and a comment from `#` on do not count. Takes time linear in the
  /// line's length, and allocates for an invalid item only.
  /// - Parameter line: The line without its line end; a return before it is white space.
  /// - Returns: What the line holds.
  public static func parse(line: Span<UInt8>) -> ListItem {
    // Most lines are an IPv4 address and nothing else.
    if let quad = DottedQuad(line, at: 0), quad.end == line.count {
      return .address(Address(ipv4: quad.number), zone: nil)
    }
    let item = itemRange(in: line)
    return item.isEmpty ? .nothing : parse(item, of: line)
  }

  /// Reads lines that are an IPv4 address and nothing else, as most lines of most lists are.
  ///
  /// - Parameters:
  ///   - text: Whole lines, and perhaps the beginning of another.
  ///   - start: Where the first line begins.
  ///   - addresses: Where the addresses are added, one for each line read.
  ///   - limit: The most lines to read.
  /// - Returns: Where the first line begins that was not read.
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

  /// Reads an operand of the command line: an item, in which `#` begins no comment.
  ///
  /// - Parameter operand: The operand as given; an empty one is invalid.
  /// - Returns: What the operand is; never ``nothing``.
  public static func parse(operand: Span<UInt8>) -> ListItem {
    let item = parse(trim(0..<operand.count, of: operand), of: operand)
    guard item == .nothing else { return item }
    return .invalid(ItemFault(column: 1, item: 0..<0, reason: "is empty"))
  }

  /// Where the item lies in a line: without the comment and the white space around it.
  public static func itemRange(in line: Span<UInt8>) -> Range<Int> {
    var end = 0
    while end < line.count, line[end] != UInt8(ascii: "#") { end &+= 1 }
    return trim(0..<end, of: line)
  }

  private static func parse(_ item: Range<Int>, of line: Span<UInt8>) -> ListItem {
    if let valid = parseValid(item, of: line) { return valid }
    // Other white space than ASCII's is looked for only where it can matter.
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
  /// Reads an item that is as it should be; `nil` for any other.
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

  /// `ADDRESS/LENGTH`; the length counts the bits of the form the address is written in.
  private static func block(_ text: Span<UInt8>, slash: Int) -> AddressRange? {
    let head = text.extracting(0..<slash)
    guard let address = Address(ascii: head) else { return nil }
    guard let length = PrefixLength(text.extracting(slash + 1..<text.count)) else { return nil }
    let isColonForm = head.indices.contains { head[$0] == UInt8(ascii: ":") }
    guard length.value <= (isColonForm ? 128 : 32) else { return nil }
    return AddressRange(block: address, mappedLength: length.value + (isColonForm ? 0 : 96))
  }

  /// `FIRST-LAST`, with or without white space around the dash.
  private static func range(_ text: Span<UInt8>, dash: Int) -> AddressRange? {
    let (head, tail) = (trim(0..<dash, of: text), trim(dash + 1..<text.count, of: text))
    guard let first = Address(ascii: text.extracting(head)) else { return nil }
    guard let last = Address(ascii: text.extracting(tail)) else { return nil }
    return AddressRange(first: first, last: last)
  }

  /// `ADDRESS%ZONE` of a link-local IPv6 address (RFC 4007 §11).
  ///
  /// A zone id is any text without `%`, as in Python's `ipaddress`, but no `/`, comma, white space
  /// or control character, and nothing that makes it the first half of a range.
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
