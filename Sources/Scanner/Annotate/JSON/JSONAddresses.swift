import Addresses

/// The addresses that strings of a JSON text are, one after the other.
struct JSONAddresses {
  /// An address, or a word that stands for one that is not known.
  struct Member {
    let address: Address?
    private let zoneStart: UInt32
    private let zoneCount: UInt32

    fileprivate init(_ address: Address?, zone: Range<Int> = 0..<0) {
      self.address = address
      (zoneStart, zoneCount) = (UInt32(zone.lowerBound), UInt32(zone.count))
    }

    /// Where in the text the zone of a link-local address stands.
    var zone: Range<Int>? {
      zoneCount > 0 ? Int(zoneStart)..<Int(zoneStart) + Int(zoneCount) : nil
    }
  }

  private(set) var members: [Member] = []
  /// What the string at hand means.
  private var meaning: [UInt8] = []

  /// Begins a text.
  mutating func reset() { members.removeAll(keepingCapacity: true) }

  /// Reads a string.
  ///
  /// - Parameters:
  ///   - string: The string.
  ///   - text: The text that it stands in.
  /// - Returns: Its addresses among ``members``; `nil` where it is neither an address nor a list of
  ///   such.
  @inline(__always)
  mutating func read(_ string: JSONCursor.Text, in text: Span<UInt8>) -> Range<Int>? {
    guard !string.range.isEmpty, text[string.range.lowerBound].mayBeginAddress else { return nil }
    if string.isEscaped { return readMeaning(of: string, in: text) }
    return readList(text.extracting(string.range)) { string.range.lowerBound &+ $0.lowerBound }
  }

  private mutating func readMeaning(
    of string: JSONCursor.Text,
    in text: Span<UInt8>
  ) -> Range<Int>? {
    var meaning: [UInt8] = []
    swap(&meaning, &self.meaning)
    defer { swap(&meaning, &self.meaning) }
    meaning.removeAll(keepingCapacity: true)
    string.append(meaningIn: text, to: &meaning)
    // A zone with escapes in it, which stands nowhere as it is meant, is none. They come in order.
    var next = string.range.lowerBound
    return readList(meaning.span) { zone in
      let last = string.range.upperBound - zone.count
      while next <= last {
        defer { next += 1 }
        if zone.allSatisfy({ text[next + $0 - zone.lowerBound] == meaning[$0] }) { return next }
      }
      return nil
    }
  }

  /// Reads what a string means.
  ///
  /// - Parameters:
  ///   - list: The meaning.
  ///   - place: Where in the text a zone stands that is in the meaning.
  /// - Returns: Its addresses; `nil` where there is anything else in it, or no address at all.
  @inline(__always)
  private mutating func readList(
    _ list: Span<UInt8>,
    _ place: (Range<Int>) -> Int?
  ) -> Range<Int>? {
    let first = members.count
    var (start, hasAddress) = (0, false)
    while start <= list.count {
      let end = list.firstIndex(of: UInt8(ascii: ","), or: UInt8(ascii: ","), from: start)
      guard let member = Self.member(list, start..<end, place) else {
        members.removeLast(members.count - first)
        return nil
      }
      members.append(member)
      hasAddress = hasAddress || member.address != nil
      start = end + 1
    }
    if !hasAddress { members.removeLast(members.count - first) }
    return hasAddress ? first..<members.count : nil
  }

  private static func member(
    _ list: Span<UInt8>,
    _ range: Range<Int>,
    _ place: (Range<Int>) -> Int?
  ) -> Member? {
    let item = list.extracting(range)
    guard let host = HostAddress(item) else {
      return item.isUnknownAddress ? Member(nil) : nil
    }
    guard let zone = host.zone else { return Member(host.address) }
    let start = range.lowerBound + zone.lowerBound
    return place(start..<start + zone.count).map {
      Member(host.address, zone: $0..<$0 + zone.count)
    }
  }
}

extension Span<UInt8> {
  /// Whether a member of a list says that there is an address which is not known: `unknown` as proxies
  /// write it, or `-` as servers do.
  fileprivate var isUnknownAddress: Bool {
    var (start, end) = (0, count)
    while start < end, self[start].isJSONSpace { start += 1 }
    while start < end, self[end - 1].isJSONSpace { end -= 1 }
    let word = extracting(start..<end)
    return word.equals("-") || word.equals("unknown")
  }

  private func equals(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { letters in
      letters.count == count && letters.indices.allSatisfy { unsafe letters[$0] == self[$0] }
    }
  }
}

extension UInt8 {
  /// Whether an address or a list of them may begin with it, or an escape or white space before one:
  /// a hexadecimal digit, `:`, `[`, `u`, `-`, a backslash or a blank.
  @inline(__always)
  fileprivate var mayBeginAddress: Bool {
    let set: UInt64 = self & 0x40 == 0 ? 0x07ff_2001_0000_0000 : 0x0020_007e_1800_007e
    return set >> UInt64(self & 0x3f) & UInt64(~self >> 7) != 0
  }
}
