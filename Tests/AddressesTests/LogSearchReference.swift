@testable import SondeAddresses

/// The rules of the search, written to be read: every piece of a text is tried, the leftmost first
/// and of those the longest.
enum LogSearchReference {
  static func search(_ text: [UInt8]) -> [LogMatch] {
    var (matches, start): ([LogMatch], Int) = ([], 0)
    while start < text.count {
      let letters = text[start...].prefix { $0.isHexDigit || $0 == dot || $0 == colon }
      let ends = (start..<min(letters.endIndex, start + Address.longestText)).reversed().map {
        $0 + 1
      }
      let found = ends.lazy.map { match(text, start, $0) }.first { !$0.isEmpty } ?? []
      matches += found
      start = found.last?.insertion ?? start + 1
    }
    return matches
  }

  /// The address that is all of a piece of the text, with the one that it sends to.
  private static func match(_ text: [UInt8], _ start: Int, _ end: Int) -> [LogMatch] {
    guard let address = address(text[start..<end]),
      let before = LogSides.before(text, start, end)
    else { return [] }
    let isDotted = text[start..<end].contains(dot)
    guard begins(text[start..<end], before) else { return [] }

    let zone = address.isLinkLocal && !address.isIPv4 ? zone(text[end...]) : nil
    let last = zone?.upperBound ?? end
    let after = LogSides.after(text, last)
    let bytes = LogSides.withoutColours(after)
    if isDotted && zone == nil ? endsDotted(bytes) : endsGroups(bytes) {
      let isVersion = !text[start..<end].contains(colon) && LogProducts.isVersion(before, bytes)
      let match = LogMatch(start: start, end: last, address: address, zone: zone)
      return isVersion ? [] : [match]
    }
    guard zone == nil, let port = endOfPort(after), let second = destination(text, after, port)
    else { return [] }
    return [LogMatch(start: start, end: end, address: address, insertion: port), second]
  }

  /// Reads an address; a lone `::` is none.
  private static func address(_ piece: ArraySlice<UInt8>) -> Address? {
    piece.elementsEqual("::".utf8) ? nil : Address(ascii: piece.span)
  }

  static let (dot, colon) = (UInt8(ascii: "."), UInt8(ascii: ":"))

  private static func zone(_ after: ArraySlice<UInt8>) -> Range<Int>? {
    guard after.first == UInt8(ascii: "%") else { return nil }
    var name = after.dropFirst().prefix { $0.isWord || ".-".utf8.contains($0) }.prefix(255)
    while let last = name.last, ".-".utf8.contains(last) { name.removeLast() }
    return name.isEmpty ? nil : name.indices
  }
}

// MARK: - Borders

extension LogSearchReference {
  /// Whether nothing that touches from the left makes a longer word of it.
  private static func parts(_ before: [UInt8]) -> Bool {
    let word = before.last == dot ? before.dropLast().last : before.last
    return !(word?.isWord ?? false)
  }

  private static func endsWord(_ after: [UInt8]) -> Bool {
    let word = after.first == dot ? after.dropFirst().first : after.first
    return !(word?.isWord ?? false)
  }

  private static func endsDotted(_ after: [UInt8]) -> Bool {
    guard let first = after.first, "-+~".utf8.contains(first) else { return endsWord(after) }
    return !after.prefix { $0.isWord || ".-+~".utf8.contains($0) }.contains { $0.isLetter }
  }

  private static func endsGroups(_ after: [UInt8]) -> Bool {
    guard after.first == colon, let second = after.dropFirst().first else { return endsWord(after) }
    return !second.isWord && second != colon
  }

  private static func begins(_ piece: ArraySlice<UInt8>, _ before: [UInt8]) -> Bool {
    guard parts(before) else { return false }
    let labels = LogLabel.labels(before)
    guard piece.contains(colon) else { return mayFollow(labels) }
    if piece.starts(with: "::".utf8) {
      guard before.last == colon else { return true }
      return before.dropLast().last?.isWord == true && mayFollow(labels)
    }
    guard isInUse(piece) else { return false }
    let groups = [LogLabel(piece: piece)] + labels.filter(\.isGroup)
    let isFirst = zip(groups, groups.dropFirst()).allSatisfy { !$1.begins(with: $0) }
    return labels.first?.colons ?? 1 == 1 && isFirst
  }

  private static func isInUse(_ piece: ArraySlice<UInt8>) -> Bool {
    let (first, next) = (LogLabel(piece: piece), piece.drop { $0 != colon })
    let colons = next.prefix { $0 == colon }.count
    return LogLabel(word: first.word, colons: colons, isGroup: true)
      .begins(with: LogLabel(piece: next.dropFirst(colons)))
  }

  /// Whether an address may follow what colons join before it.
  private static func mayFollow(_ labels: [LogLabel]) -> Bool {
    if labels.contains(where: { $0.colons > 1 }) { return false }
    if labels.first?.word.elementsEqual("rv".utf8) == true { return false }
    return labels.indices.dropFirst().allSatisfy { index in
      let hasLetter = labels[...index].contains { $0.isGroup && $0.word.contains { $0.isLetter } }
      return !(hasLetter && labels[index].begins(with: labels[index - 1]))
    }
  }
}

// MARK: - tcpdump

extension LogSearchReference {
  /// The offset behind a `.` and a port that come first.
  private static func endOfPort(_ after: [LogToken]) -> Int? {
    guard after.first?.byte == dot else { return nil }
    let isSmall = { (byte: UInt8) in byte.isLetter && byte & 0x20 != 0 }
    let digits = after.dropFirst().prefix { $0.byte.isDigit }
    if (1...5).contains(digits.count) { return digits.last?.range.upperBound }
    guard digits.isEmpty, let letter = after.dropFirst().first, isSmall(letter.byte) else {
      return nil
    }
    let name = after.dropFirst().prefix {
      isSmall($0.byte) || $0.byte.isDigit || $0.byte == UInt8(ascii: "-")
    }
    return name.count <= 64 ? name.last?.range.upperBound : nil
  }

  private static func destination(
    _ text: [UInt8],
    _ after: [LogToken],
    _ port: Int
  ) -> LogMatch? {
    let arrow = after.drop { $0.range.lowerBound < port }.prefix(3)
    guard arrow.map(\.byte).elementsEqual(" > ".utf8), let start = arrow.last?.range.upperBound
    else { return nil }
    for end in (start..<min(text.count, start + Address.longestText)).reversed().map({ $0 + 1 }) {
      let piece = text[start..<end]
      guard let address = address(piece), !piece.contains(colon) || isInUseOrDouble(piece) else {
        continue
      }
      let after = LogSides.after(text, end)
      if let port = endOfPort(after),
        after.first(where: { $0.range.lowerBound == port })?.byte == colon
      {
        return LogMatch(start: start, end: end, address: address, insertion: port)
      }
    }
    return nil
  }

  private static func isInUseOrDouble(_ piece: ArraySlice<UInt8>) -> Bool {
    piece.starts(with: "::".utf8) || isInUse(piece)
  }
}

/// A word that colons join to what follows, or the place where there is none.
struct LogLabel {
  let word: ArraySlice<UInt8>
  /// How many colons follow it.
  let colons: Int
  /// Whether it is one to four hexadecimal digits, and not the end of a dotted name.
  let isGroup: Bool

  /// The labels before a place, the nearest first; none but the last is no group.
  static func labels(_ before: [UInt8]) -> [LogLabel] {
    var (labels, rest): ([LogLabel], ArraySlice<UInt8>) = ([], before[...])
    while rest.last == LogSearchReference.colon, labels.last?.isGroup ?? true {
      let end = rest.reversed().prefix { $0 == LogSearchReference.colon }.count
      rest = rest.dropLast(end)
      let word = rest.suffix(rest.reversed().prefix { $0.isWord }.count)
      rest = rest.dropLast(word.count)
      let isDotted =
        rest.last == LogSearchReference.dot && rest.dropLast().last?.isWord ?? false
      let isGroup = (1...4).contains(word.count) && word.allSatisfy(\.isHexDigit) && !isDotted
      labels.append(LogLabel(word: word, colons: end, isGroup: isGroup))
    }
    return labels
  }

  init(word: ArraySlice<UInt8>, colons: Int, isGroup: Bool) {
    (self.word, self.colons, self.isGroup) = (word, colons, isGroup)
  }

  /// The group that a piece begins with.
  init(piece: ArraySlice<UInt8>) {
    self.init(word: piece.prefix { $0.isHexDigit }, colons: 0, isGroup: true)
  }

  private var text: String { String(decoding: word, as: UTF8.self) }

  private var isZero: Bool { ["0", "000", "0000"].contains(text) }

  /// Whether an address begins with this group, in the ranges that are in use.
  func begins(with next: LogLabel) -> Bool {
    guard isGroup, let value = Int(text, radix: 16) else { return false }
    if (0x2000...0x3fff).contains(value) || value == 0x5f00 || value >= 0xfc00 { return true }
    if value == 0x100, colons > 1 { return true }
    guard colons == 1 else { return false }
    return isZero && next.isZero || value == 0x100 && next.isZero
      || value == 0x64 && Int(next.text, radix: 16) == 0xff9b
  }
}
