import Addresses

/// Reads lines that are one JSON object each, and finds the strings in them that are addresses.
///
/// A reader's rooms are used again for the next line, so that reading allocates nothing.
struct JSONLineReader {
  /// Objects and arrays may lie in each other so deep (RFC 8259 §9 lets a reader set a limit).
  static let maximumDepth = 10_000

  /// The most bytes that the pointers of a line may take, as many as a line may have: a long name
  /// stands in the pointer of every address below it.
  static let longestPointers = 16 << 20

  /// A string that is an address, or a list of such.
  struct Mention {
    fileprivate let node: Int32
    /// Its addresses among ``members``.
    let members: Range<Int>
    let isList: Bool
  }

  /// An address, or a word that stands for one that is not known.
  struct Member {
    let address: Address?
    /// Where in the line the zone of a link-local address stands.
    var zone: Range<Int>?
  }

  private(set) var mentions: [Mention] = []
  private(set) var members: [Member] = []
  private var tree = JSONTree()

  /// An object or array that has not ended.
  private struct Container {
    let isObject: Bool
    /// Its node; ``unmade`` for one in an array, until it is needed.
    var node: Int32
    /// The node of the current member, or the number of the current element.
    var item: Int32 = 0

    static let unmade: Int32 = -1
  }

  private var containers: [Container] = []
  private var meaning: [UInt8] = []

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - line: The line; its end may be there or not.
  ///   - key: The name of a member that it must not have.
  /// - Returns: Where its last brace is; `nil` where the line is to pass unchanged.
  mutating func read(_ line: Span<UInt8>, unlessItHas key: [UInt8]) -> Int? {
    reset()
    // A byte-order mark may be ignored (RFC 8259 §8.1), and files are joined by `cat`.
    var cursor = JSONCursor(at: line.startsWithByteOrderMark ? 3 : 0)
    cursor.skipSpace(in: line)
    guard cursor.take("{", of: line), readItems(line, &cursor) else { return nil }
    let brace = cursor.position - 1
    cursor.skipSpace(in: line)
    guard cursor.position == line.count, !mentions.isEmpty else { return nil }
    guard !cursor.sawHighBytes || line.isUTF8, !tree.hasMember(key, in: line) else { return nil }
    return keepMentions(line) ? brace : nil
  }

  /// Appends the JSON Pointer (RFC 6901) of a string of the line as a JSON string.
  mutating func append(
    pointerOf mention: Mention,
    in line: Span<UInt8>,
    to output: inout [UInt8]
  ) {
    tree.append(pointer: mention.node, in: line, to: &output)
  }

  private mutating func reset() {
    mentions.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    containers.removeAll(keepingCapacity: true)
    containers.append(Container(isObject: true, node: JSONTree.root))
    tree.reset()
  }

  /// Leaves out what stands for nothing, and says whether there is anything left.
  private mutating func keepMentions(_ line: Span<UInt8>) -> Bool {
    for mention in mentions { tree.use(mention.node) }
    tree.resolve(in: line)
    mentions.removeAll { tree.isOverridden($0.node) }
    var room = Self.longestPointers
    for mention in mentions where room >= 0 { room -= tree.pointerCapacity(mention.node) }
    return !mentions.isEmpty && room >= 0
  }
}

// MARK: - Grammar

extension JSONLineReader {
  /// Reads what is in the outermost object, and its end.
  private mutating func readItems(_ line: Span<UInt8>, _ cursor: inout JSONCursor) -> Bool {
    var isFirst = true
    repeat {
      cursor.skipSpace(in: line)
      let isEmpty = isFirst && takeEnd(line, &cursor)
      if !isEmpty {
        guard takeName(line, &cursor, isFirst: isFirst) else { return false }
        switch line.byte(orNUL: cursor.position) {
        case UInt8(ascii: "\""):
          guard let text = cursor.takeString(of: line) else { return false }
          note(text, line)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          guard takeBegin(line, &cursor) else { return false }
          isFirst = true
          continue
        default: guard cursor.takeScalar(of: line) else { return false }
        }
      }
      isFirst = false
      guard takeEnds(line, &cursor) else { return false }
    } while !containers.isEmpty
    return true
  }

  /// The name of the next member, or the next element's number.
  @inline(__always)
  private mutating func takeName(
    _ line: Span<UInt8>,
    _ cursor: inout JSONCursor,
    isFirst: Bool
  ) -> Bool {
    let last = containers.count &- 1
    guard containers[last].isObject else {
      if !isFirst { containers[last].item &+= 1 }
      return true
    }
    guard let name = cursor.takeString(of: line) else { return false }
    containers[last].item = tree.add(member: name, of: innermostNode())
    cursor.skipSpace(in: line)
    guard cursor.take(":", of: line) else { return false }
    cursor.skipSpace(in: line)
    return true
  }

  private mutating func takeBegin(_ line: Span<UInt8>, _ cursor: inout JSONCursor) -> Bool {
    guard let outer = containers.last, containers.count < Self.maximumDepth else { return false }
    let isObject = line[cursor.position] == UInt8(ascii: "{")
    cursor.position += 1
    containers.append(
      Container(isObject: isObject, node: outer.isObject ? outer.item : Container.unmade)
    )
    return true
  }

  /// The end of the innermost object or array, if it is there.
  @inline(__always)
  private mutating func takeEnd(_ line: Span<UInt8>, _ cursor: inout JSONCursor) -> Bool {
    let isObject = containers[containers.count &- 1].isObject
    guard cursor.take(isObject ? "}" : "]", of: line) else { return false }
    containers.removeLast()
    return true
  }

  /// All ends behind a value, up to a comma or the last of them.
  @inline(__always)
  private mutating func takeEnds(_ line: Span<UInt8>, _ cursor: inout JSONCursor) -> Bool {
    while !containers.isEmpty {
      cursor.skipSpace(in: line)
      if cursor.take(",", of: line) { return true }
      guard takeEnd(line, &cursor) else { return false }
    }
    return true
  }

  /// The node of the innermost object or array.
  @inline(__always)
  private mutating func innermostNode() -> Int32 {
    let node = containers[containers.count &- 1].node
    return node == Container.unmade ? makeNodes() : node
  }

  /// Makes the nodes of arrays' elements from the first one that is not made to the innermost.
  private mutating func makeNodes() -> Int32 {
    // The outermost is always made.
    var level = containers.count - 1
    while containers[level].node == Container.unmade { level -= 1 }
    while level < containers.count - 1 {
      let (index, parent) = (containers[level].item, containers[level].node)
      level += 1
      containers[level].node = tree.add(element: index, of: parent)
    }
    return containers[level].node
  }
}

// MARK: - Addresses

extension JSONLineReader {
  /// Notes a string if it is an address or a list of such.
  @inline(__always)
  private mutating func note(_ text: JSONCursor.Text, _ line: Span<UInt8>) {
    guard !text.range.isEmpty, line[text.range.lowerBound].mayBeginAddress else { return }
    if text.isEscaped {
      noteMeaning(of: text, line)
    } else {
      noteAddresses(line.extracting(text.range)) { text.range.lowerBound &+ $0.lowerBound }
    }
  }

  private mutating func noteMeaning(of text: JSONCursor.Text, _ line: Span<UInt8>) {
    var meaning: [UInt8] = []
    swap(&meaning, &self.meaning)
    meaning.removeAll(keepingCapacity: true)
    text.append(meaningIn: line, to: &meaning)
    // A zone with escapes in it, which stands nowhere as it is meant, is none.
    noteAddresses(meaning.span) { zone in
      text.range.first { start in
        start + zone.count <= text.range.upperBound
          && zone.indices.allSatisfy { line[start + $0 - zone.lowerBound] == meaning[$0] }
      }
    }
    swap(&meaning, &self.meaning)
  }

  /// Notes the addresses of a string, if it is nothing else.
  ///
  /// - Parameters:
  ///   - text: What the string means.
  ///   - place: Where in the line a zone stands that is in the text.
  @inline(__always)
  private mutating func noteAddresses(_ text: Span<UInt8>, _ place: (Range<Int>) -> Int?) {
    let first = members.count
    var (start, hasAddress) = (0, false)
    while start <= text.count {
      let end = text.firstIndex(of: UInt8(ascii: ","), or: UInt8(ascii: ","), from: start)
      guard let member = member(text, start..<end, place) else {
        return members.removeLast(members.count - first)
      }
      members.append(member)
      hasAddress = hasAddress || member.address != nil
      start = end + 1
    }
    guard hasAddress else { return members.removeLast(members.count - first) }
    let isList = members.count - first > 1
    mentions.append(Mention(node: currentNode(), members: first..<members.count, isList: isList))
  }

  private func member(
    _ text: Span<UInt8>,
    _ range: Range<Int>,
    _ place: (Range<Int>) -> Int?
  ) -> Member? {
    let item = text.extracting(range)
    guard let host = HostAddress(item) else {
      return item.isUnknownAddress ? Member(address: nil) : nil
    }
    guard let zone = host.zone else { return Member(address: host.address) }
    let start = range.lowerBound + zone.lowerBound
    return place(start..<start + zone.count).map {
      Member(address: host.address, zone: $0..<$0 + zone.count)
    }
  }

  /// The node of the value at hand.
  private mutating func currentNode() -> Int32 {
    let node = innermostNode()
    let container = containers[containers.count - 1]
    return container.isObject ? container.item : tree.add(element: container.item, of: node)
  }
}

extension Span<UInt8> {
  /// Whether the bytes are UTF-8, as JSON has to be (RFC 8259 §8.1).
  fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }

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
