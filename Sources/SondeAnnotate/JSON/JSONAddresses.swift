import SondeAddresses
import SondeInputs

/// The addresses that make up strings of a JSON text, in sequence.
struct JSONAddresses {
  /// Addresses; `nil` stands for an unknown one.
  private(set) var members: [Address?] = []
  /// The zones of link-local addresses, in the order of their members: each begins at its offset,
  /// and ends where the next one begins.
  private var zones: [(member: Int, start: Int)] = []
  private var zoneBytes: [UInt8] = []
  /// The decoded current string.
  private var meaning: [UInt8] = []
  /// Whether defanged marks are the marks that they stand for.
  private let refangs: Bool
  /// A buffer for the search.
  private var matches: [LogMatch] = []

  init(refangs: Bool) { self.refangs = refangs }

  mutating func reset() { removeMembers(from: 0) }

  /// The decoded zone of a member, if it has one.
  func zone(of member: Int) -> [UInt8]? {
    guard !zones.isEmpty else { return nil }
    var (low, high) = (0, zones.count)
    while low < high {
      let middle = (low + high) / 2
      if zones[middle].member < member { low = middle + 1 } else { high = middle }
    }
    guard low < zones.count, zones[low].member == member else { return nil }
    let end = low + 1 < zones.count ? zones[low + 1].start : zoneBytes.count
    return Array(zoneBytes[zones[low].start..<end])
  }

  @inline(__always)
  private mutating func removeMembers(from first: Int) {
    guard members.count > first else { return }
    members.removeLast(members.count - first)
    while let last = zones.last, last.member >= first {
      zoneBytes.removeLast(zoneBytes.count - last.start)
      zones.removeLast()
    }
  }

  /// Reads a string into ``members``; `nil` if it is neither an address nor a list of addresses.
  @inline(__always)
  mutating func read(_ string: JSONCursor.Text, in text: Span<UInt8>) -> Range<Int>? {
    guard !string.range.isEmpty else { return nil }
    guard refangs || text[string.range.lowerBound].mayBeginAddress else { return nil }
    if string.isEscaped { return readMeaning(of: string, in: text) }
    return readList(text.extracting(string.range))
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
    return readList(meaning.span)
  }

  /// Searches a string as a log into ``members``, with repetitions; `nil` if it has no address.
  mutating func find(in string: JSONCursor.Text, of text: Span<UInt8>) -> Range<Int>? {
    guard string.isEscaped else { return find(in: text.extracting(string.range)) }
    var meaning: [UInt8] = []
    swap(&meaning, &self.meaning)
    defer { swap(&meaning, &self.meaning) }
    meaning.removeAll(keepingCapacity: true)
    string.append(meaningIn: text, to: &meaning)
    return find(in: meaning.span)
  }

  private mutating func find(in text: Span<UInt8>) -> Range<Int>? {
    let first = members.count
    matches.removeAll(keepingCapacity: true)
    searchLog(text, refangs: refangs, into: &matches)
    for match in matches {
      if let zone = match.zone { guard keep(zone: text.zone(zone).span) else { continue } }
      members.append(match.address)
    }
    return members.count > first ? first..<members.count : nil
  }

  /// Stores the zone of the next member; returns whether it is UTF-8.
  private mutating func keep(zone: Span<UInt8>) -> Bool {
    // Half of an escaped surrogate pair is not a character.
    guard (try? UTF8Span(validating: zone)) != nil else { return false }
    zones.append((members.count, zoneBytes.count))
    zoneBytes.append(copying: zone)
    return true
  }

  /// Reads a decoded string; `nil` if it contains anything but addresses, or no address.
  @inline(__always)
  private mutating func readList(_ list: Span<UInt8>) -> Range<Int>? {
    let first = members.count
    var (start, hasAddress) = (0, false)
    while start <= list.count {
      let end = list.firstIndex(of: UInt8(ascii: ","), or: UInt8(ascii: ","), from: start)
      guard append(list.extracting(start..<end)) else {
        removeMembers(from: first)
        return nil
      }
      hasAddress = hasAddress || members[members.count - 1] != nil
      start = end + 1
    }
    if !hasAddress { removeMembers(from: first) }
    return hasAddress ? first..<members.count : nil
  }

  /// Appends a member; `false` if it is not one.
  @inline(__always)
  private mutating func append(_ item: Span<UInt8>) -> Bool {
    guard let host = HostAddress(item, refangs: refangs) else {
      if item.isUnknownAddress { members.append(nil) }
      return item.isUnknownAddress
    }
    if let zone = host.zone {
      guard keep(zone: item.zone(zone, refangs: refangs).span) else { return false }
    }
    members.append(host.address)
    return true
  }
}

extension Span<UInt8> {
  /// Whether a list's member is `unknown`, as proxies write, or `-`, as servers write.
  var isUnknownAddress: Bool {
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
  /// Whether an address, a list of them, an escape or white space may begin with it: a hexadecimal
  /// digit, `:`, `[`, `u`, `-`, a backslash or a blank.
  @inline(__always)
  fileprivate var mayBeginAddress: Bool {
    let set: UInt64 = self & 0x40 == 0 ? 0x07ff_2001_0000_0000 : 0x0020_007e_1800_007e
    return set >> UInt64(self & 0x3f) & UInt64(~self >> 7) != 0
  }
}
