import SondeAddresses
import SondeInputs
import SondeLogs
import SondeRecords

/// Reads lines that consist of one JSON object, and finds the strings in them that are addresses.
///
/// A reader's buffers are reused for the next line, so that reading allocates nothing.
struct JSONLineReader {
  /// The largest nesting depth (RFC 8259 §9 permits a limit).
  static let maximumDepth = 10_000

  /// The limit of a line's pointers in bytes, equal to that of a line, since a long name is part of
  /// the pointer of every address below it.
  static let longestPointers = 16 << 20

  /// A string that is an address or a list of addresses, or has some in it.
  struct Mention {
    fileprivate let node: Int32
    private var first: UInt32
    private var count: UInt32
    /// Where the string is in the line.
    fileprivate let place: UInt32
    /// Whether addresses were found within the string.
    let isInside: Bool
    /// Whether a list has only one member left.
    private var isCut = false

    fileprivate init(node: Int32, members: Range<Int>, at place: Int, isInside: Bool) {
      (self.node, self.isInside) = (node, isInside)
      (first, count) = (UInt32(members.lowerBound), UInt32(members.count))
      self.place = UInt32(truncatingIfNeeded: place)
    }

    /// The same with one of its addresses alone.
    fileprivate func only(_ member: Int) -> Mention {
      var mention = self
      (mention.first, mention.count, mention.isCut) = (UInt32(member), 1, isArray)
      return mention
    }

    /// Its addresses among ``JSONLineReader/members``.
    var members: Range<Int> { Int(first)..<Int(first) + Int(count) }
    var isArray: Bool { count > 1 || isInside || isCut }
  }

  /// Whether addresses are also searched within strings.
  let searchesInside: Bool

  private(set) var mentions: [Mention] = []
  /// The addresses of all mentions.
  var members: [Address?] { addresses.members }
  private var addresses: JSONAddresses

  func zone(of member: Int) -> [UInt8]? { addresses.zone(of: member) }
  private var tree = JSONTree()

  /// An open object or array.
  private struct Container {
    let isObject: Bool
    /// Its node; ``unmade`` for one in an array, until needed.
    var node: Int32
    /// The node of the current member, or the number of the current element.
    var item: Int32 = 0

    static let unmade: Int32 = -1
  }

  private var containers: [Container] = []

  init(searchesInside: Bool = false, refangs: Bool = false) {
    self.searchesInside = searchesInside
    addresses = JSONAddresses(refangs: refangs)
  }

  /// Reads a line; returns the position of its last brace, or `nil` if it is copied unchanged.
  ///
  /// `key` is the name of a member that the line must not have.
  mutating func read(_ line: Span<UInt8>, unlessItHas key: [UInt8]) -> Int? {
    reset()
    // A byte-order mark may be ignored (RFC 8259 §8.1), and concatenated files contain some.
    var cursor = JSONCursor(at: line.startsWithByteOrderMark ? 3 : 0)
    cursor.skipSpace(in: line)
    guard cursor.take("{", of: line), readItems(line, &cursor) else { return nil }
    let brace = cursor.position - 1
    cursor.skipSpace(in: line)
    guard cursor.position == line.count, !mentions.isEmpty else { return nil }
    guard !cursor.sawHighBytes || line.isUTF8, !tree.hasMember(key, in: line) else { return nil }
    return keepMentions(line) ? brace : nil
  }

  /// Keeps only what `--pick` chooses; returns whether anything is left.
  mutating func keepPicked(by picker: inout LinePicker?, in line: Span<UInt8>) -> Bool {
    guard let pick = picker?.pick else { return true }
    if pick.name != nil {
      guard let value = picker?.named(in: line) else { return false }
      mentions.removeAll { !value.contains(Int($0.place)) }
    }
    guard pick.place != .all else { return !mentions.isEmpty }
    let all = mentions.flatMap { mention in
      mention.members.compactMap { member in
        addresses.members[member].map { (mention, member, $0) }
      }
    }
    let chosen =
      switch pick.place {
      case .all, .first: all.first
      case .last: all.last
      case .open: all.first { $0.2.specialPurpose == nil }
      }
    mentions = chosen.map { [$0.0.only($0.1)] } ?? []
    return !mentions.isEmpty
  }

  /// Appends the JSON Pointer (RFC 6901) of a string of the line as a JSON string.
  mutating func append(pointerOf mention: Mention, in line: Span<UInt8>, to output: inout [UInt8]) {
    tree.append(pointer: mention.node, in: line, to: &output)
  }

  private mutating func reset() {
    mentions.removeAll(keepingCapacity: true)
    addresses.reset()
    containers.removeAll(keepingCapacity: true)
    containers.append(Container(isObject: true, node: JSONTree.root))
    tree.reset()
  }

  /// Removes mentions in overridden members; returns whether any are left.
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
  /// Reads the outermost object to its end.
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

  /// Reads the name of the next member, or counts the next element.
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

  /// Reads the end of the innermost object or array, if it is next.
  @inline(__always)
  private mutating func takeEnd(_ line: Span<UInt8>, _ cursor: inout JSONCursor) -> Bool {
    let isObject = containers[containers.count &- 1].isObject
    guard cursor.take(isObject ? "}" : "]", of: line) else { return false }
    containers.removeLast()
    return true
  }

  /// Reads all ends after a value, up to a comma or the last of them.
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

  /// Creates missing nodes of arrays' elements, down to the innermost.
  private mutating func makeNodes() -> Int32 {
    // The outermost node always exists.
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
  /// Records a string if it is an address or a list of addresses, or has some in it.
  @inline(__always)
  private mutating func note(_ text: JSONCursor.Text, _ line: Span<UInt8>) {
    if let members = addresses.read(text, in: line) {
      mentions.append(mention(members, at: text, isInside: false))
    } else if searchesInside, let members = addresses.find(in: text, of: line) {
      mentions.append(mention(members, at: text, isInside: true))
    }
  }

  private mutating func mention(
    _ members: Range<Int>,
    at text: JSONCursor.Text,
    isInside: Bool
  ) -> Mention {
    Mention(
      node: currentNode(),
      members: members,
      at: text.range.lowerBound,
      isInside: isInside
    )
  }

  /// The node of the current value.
  private mutating func currentNode() -> Int32 {
    let node = innermostNode()
    let container = containers[containers.count - 1]
    return container.isObject ? container.item : tree.add(element: container.item, of: node)
  }
}

extension Span<UInt8> {
  /// Whether the bytes are UTF-8, as required in JSON (RFC 8259 §8.1).
  fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
