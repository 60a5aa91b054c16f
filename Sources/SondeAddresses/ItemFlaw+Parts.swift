// Flaws around addresses: ranges, white space, zones, ports and prefix lengths.
extension ItemFlaw {
  /// `1.1.1.9-1.1.1.1`, `1.1.1.1-9`, `1.1.1.1-::1`.
  static let range: Detector = { item in
    guard let dash = item.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (head, tail) = (trimmed(item[..<dash]), trimmed(item[(dash + 1)...]))
    if head.isEmpty {
      guard tail.allSatisfy({ $0 == UInt8(ascii: "-") }) || resemblesAddress(tail) else {
        return nil
      }
      return ItemFlaw(dash, "has no first address before '-'")
    }
    // `8.8.8.8/-24` is not a range.
    guard head.last != UInt8(ascii: "/") else { return nil }
    guard resemblesAddress(head.prefix { !"%/".utf8.contains($0) }) else { return nil }
    if tail.isEmpty { return ItemFlaw(dash, "has no last address after '-'") }
    if let flaw = zoneInRange(item, head, tail) { return flaw }
    if let first = bounds(head), let last = bounds(tail) {
      return rangeOfValid(first, last, head, tail)
    }
    return rangeOfFlawed(item, head, tail)
  }

  /// The range of a piece that is an address or a block.
  private static func bounds(_ piece: ArraySlice<UInt8>) -> AddressRange? {
    guard !piece.contains(UInt8(ascii: "-")) else { return nil }
    return switch ListItem.parseValid(0..<piece.count, of: piece.span) {
    case .address(let address, zone: nil): AddressRange(first: address, last: address)
    case .range(let range): range
    default: nil
    }
  }

  private static func zoneInRange(
    _ item: [UInt8],
    _ head: ArraySlice<UInt8>,
    _ tail: ArraySlice<UInt8>
  ) -> ItemFlaw? {
    let pieces = [head, tail].map { $0.prefix { $0 != UInt8(ascii: "%") } }
    guard let percent = item.firstIndex(of: UInt8(ascii: "%")) else { return nil }
    guard address(pieces[0]) != nil, address(pieces[1]) != nil else { return nil }
    let mended = pieces[0] + [UInt8(ascii: "-")] + pieces[1]
    return ItemFlaw(percent, "has a zone, which a range cannot have", mended: mended)
  }

  private static func rangeOfValid(
    _ first: AddressRange,
    _ last: AddressRange,
    _ head: ArraySlice<UInt8>,
    _ tail: ArraySlice<UInt8>
  ) -> ItemFlaw? {
    let dash = [UInt8(ascii: "-")]
    if first.first.isIPv4 != last.last.isIPv4 {
      return ItemFlaw(tail.startIndex, "is a range from one address family to the other")
    }
    if first.first > last.last {
      return ItemFlaw(
        tail.startIndex,
        "is a range that ends before it begins",
        mended: tail + dash + head
      )
    }
    let slash = head.firstIndex(of: UInt8(ascii: "/")) ?? tail.firstIndex(of: UInt8(ascii: "/"))
    let mended = text(first.first) + dash + text(last.last)
    return slash.map { ItemFlaw($0, "is a range of blocks", mended: mended) }
  }

  private static func rangeOfFlawed(
    _ item: [UInt8],
    _ head: ArraySlice<UInt8>,
    _ tail: ArraySlice<UInt8>
  ) -> ItemFlaw? {
    if let second = tail.firstIndex(of: UInt8(ascii: "-")) {
      guard tail.split(separator: UInt8(ascii: "-")).allSatisfy(resemblesAddress) else {
        return nil
      }
      return ItemFlaw(second, "has a second '-'")
    }
    if bounds(head) == nil {
      guard resemblesAddress(tail) || isNumber(tail) else { return nil }
      return find(in: item, piece: head)
    }
    if let completed = completed(tail, by: head) {
      let mended = head + [UInt8(ascii: "-")] + completed
      return ItemFlaw(tail.startIndex, "has a shortened last address", mended: mended)
    }
    return resemblesAddress(tail) ? find(in: item, piece: tail) : nil
  }

  /// `1.1.1.9` for the `9` of `1.1.1.1-9`.
  private static func completed(_ tail: ArraySlice<UInt8>, by head: ArraySlice<UInt8>) -> [UInt8]? {
    let (octets, ends) = (
      head.split(separator: UInt8(ascii: ".")), tail.split(separator: UInt8(ascii: "."))
    )
    guard octets.count == 4, (1...3).contains(ends.count) else { return nil }
    let text = Array((octets.dropLast(ends.count) + ends).joined(separator: [UInt8(ascii: ".")]))
    return address(text[...]) == nil ? nil : text
  }

  /// White space inside: several items, or a single one with spaces.
  static let whiteSpace: Detector = { item in
    guard let gap = item.firstIndex(where: \.isBlank) else { return nil }
    let words = item.split(whereSeparator: \.isBlank)
    // The content of quotes or brackets.
    guard let first = words.first else { return ItemFlaw(0, "is no address") }
    if words.count == 2, address(first) != nil, let mask = MaskText(words[1]), mask.isLikely {
      let mended = first + [UInt8(ascii: "/")] + words[1]
      return ItemFlaw(words[1].startIndex, mask.reason, mended: mended)
    }
    let marks = "/%:.".utf8
    let isOneItem = zip(words, words.dropFirst()).allSatisfy { word, next in
      word.last.map(marks.contains) ?? false || next.first.map(marks.contains) ?? false
    }
    let tight = item.filter { !$0.isBlank }
    if isOneItem, address(first) != nil || isValid(tight) {
      return ItemFlaw(gap, "has white space inside", mended: tight)
    }
    let second = item[gap...].firstIndex { !$0.isBlank } ?? gap
    return ItemFlaw(second, "holds several items or words: write one item a line")
  }

  /// `2001:db8::1%eth0`, `fe80::1%`, `fe80::1%eth0/64`.
  static let zone: Detector = { item in
    guard let percent = item.firstIndex(of: UInt8(ascii: "%")) else { return nil }
    let (head, zone) = (item[..<percent], item[(percent + 1)...])
    guard let address = address(head) else {
      return resemblesAddress(head) ? find(in: item, piece: head) : nil
    }
    let block = zone.drop { $0 != UInt8(ascii: "/") }
    guard address.isLinkLocal, !address.isIPv4 else {
      let reason = "has a zone, which only link-local IPv6 addresses have"
      return ItemFlaw(percent, reason, mended: head + block)
    }
    if zone.isEmpty { return ItemFlaw(percent, "has an empty zone", mended: head) }
    if let second = zone.firstIndex(of: UInt8(ascii: "%")) {
      return ItemFlaw(second, "has a second '%'")
    }
    guard !block.isEmpty else { return nil }
    return ItemFlaw(percent, "has a zone, which a block cannot have", mended: head + block)
  }

  /// `8.8.8.8:53`, `8.8.8.8:https`, `example.com:443`.
  static let port: Detector = { item in
    guard let colon = item.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
    let (head, tail) = (item[..<colon], item[(colon + 1)...])
    guard !tail.contains(UInt8(ascii: ":")) else { return nil }
    guard head.contains(UInt8(ascii: ".")) || isNumber(tail) && head.contains(where: \.isLetter)
    else {
      return nil
    }
    let reason = tail.isEmpty ? "ends with ':'" : "has a port"
    return ItemFlaw(colon, reason, mended: head)
  }
}
