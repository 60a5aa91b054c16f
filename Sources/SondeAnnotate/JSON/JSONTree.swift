import SondeInputs

/// The members of objects in a JSON text, and the elements of arrays with addresses.
///
/// A position in the text is a node: its name or index in a container, and the container's node.
struct JSONTree {
  /// The outermost object.
  static let root: Int32 = 0

  private struct Node {
    let parent: Int32
    /// The start of the name, or the index of the element.
    let start: Int32
    /// The length of the name in bytes; negative for an element.
    let count: Int32
    let isEscaped: Bool
    /// Whether an address is at the node or below.
    var isUsed = false
    /// Whether a later member with the same name overrides it or a container of it.
    var isOverridden = false

    var name: JSONCursor.Text? {
      guard count >= 0 else { return nil }
      return JSONCursor.Text(range: Int(start)..<Int(start) + Int(count), isEscaped: isEscaped)
    }
  }

  private var nodes: [Node] = []
  /// The used nodes with names.
  private var used: [Int32] = []
  /// The nodes from one to the outermost.
  private var path: [Int32] = []

  mutating func reset() {
    used.removeAll(keepingCapacity: true)
    nodes.removeAll(keepingCapacity: true)
    nodes.append(Node(parent: -1, start: 0, count: -1, isEscaped: false))
  }

  @inline(__always)
  mutating func add(member name: JSONCursor.Text, of parent: Int32) -> Int32 {
    nodes.append(
      Node(
        parent: parent,
        start: Int32(truncatingIfNeeded: name.range.lowerBound),
        count: Int32(truncatingIfNeeded: name.range.count),
        isEscaped: name.isEscaped
      )
    )
    return Int32(truncatingIfNeeded: nodes.count &- 1)
  }

  mutating func add(element index: Int32, of parent: Int32) -> Int32 {
    nodes.append(Node(parent: parent, start: index, count: -1, isEscaped: false))
    return Int32(truncatingIfNeeded: nodes.count - 1)
  }

  /// Whether the outermost object has a member of a name.
  func hasMember(_ name: [UInt8], in text: Span<UInt8>) -> Bool {
    nodes.contains { $0.parent == Self.root && $0.name?.equals(name, in: text) == true }
  }
}

// MARK: - Repeated names

extension JSONTree {
  /// Records that an address is at a node.
  mutating func use(_ node: Int32) {
    var node = node
    while node > Self.root, !nodes[Int(node)].isUsed {
      nodes[Int(node)].isUsed = true
      if nodes[Int(node)].count >= 0 { used.append(node) }
      node = nodes[Int(node)].parent
    }
  }

  /// Whether a later member overrides a node or a container of it.
  func isOverridden(_ node: Int32) -> Bool { nodes[Int(node)].isOverridden }

  /// Finds used nodes that are overridden (RFC 8259 §4 leaves this open; the last one counts).
  mutating func resolve(in text: Span<UInt8>) {
    // Usually one or two; comparing many would take quadratic time.
    let found = used.count <= 16 ? compare(in: text) : collect(in: text)
    guard found else { return }
    for index in nodes.indices.dropFirst() where nodes[Int(nodes[index].parent)].isOverridden {
      nodes[index].isOverridden = true
    }
  }

  /// Searches for the name of each used node among later ones.
  private mutating func compare(in text: Span<UInt8>) -> Bool {
    var found = false
    for node in used {
      guard isNamed(again: Int(node), in: text) else { continue }
      nodes[Int(node)].isOverridden = true
      found = true
    }
    return found
  }

  private func isNamed(again index: Int, in text: Span<UInt8>) -> Bool {
    guard let name = nodes[index].name else { return false }
    let parent = nodes[index].parent
    for later in index + 1..<nodes.count where nodes[later].parent == parent {
      if let other = nodes[later].name, other.equals(name, in: text) { return true }
    }
    return false
  }

  /// A decoded name in an object.
  private struct Name: Hashable {
    let parent: Int32
    let meaning: [UInt8]
  }

  /// Iterates over all nodes backwards.
  private mutating func collect(in text: Span<UInt8>) -> Bool {
    var (names, found) = (Set<Name>(), false)
    for index in nodes.indices.reversed() {
      guard let name = nodes[index].name else { continue }
      var meaning: [UInt8] = []
      name.append(meaningIn: text, to: &meaning)
      guard !names.insert(Name(parent: nodes[index].parent, meaning: meaning)).inserted else {
        continue
      }
      nodes[index].isOverridden = true
      found = true
    }
    return found
  }
}

// MARK: - Pointers

extension JSONTree {
  /// The largest size of a node's pointer in bytes, including quotes.
  func pointerCapacity(_ node: Int32) -> Int {
    var (node, size) = (node, 2)
    while node > Self.root {
      let step = nodes[Int(node)]
      // `/` and `~` take two bytes, an index has at most ten digits.
      size += 1 + (step.name.map { 2 * $0.range.count } ?? 10)
      node = step.parent
    }
    return size
  }

  /// Appends the JSON Pointer (RFC 6901) of a node as a JSON string.
  ///
  /// Escapes in names are copied from the text.
  mutating func append(pointer node: Int32, in text: Span<UInt8>, to output: inout [UInt8]) {
    path.removeAll(keepingCapacity: true)
    var node = node
    while node > Self.root {
      path.append(node)
      node = nodes[Int(node)].parent
    }
    output.append(UInt8(ascii: "\""))
    while let node = path.popLast() {
      output.append(UInt8(ascii: "/"))
      if let name = nodes[Int(node)].name {
        Self.append(name, in: text, to: &output)
      } else {
        output.append(contentsOf: String(nodes[Int(node)].start).utf8)
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  /// Appends a name with `~` and `/` written as `~0` and `~1` (RFC 6901 §3).
  private static func append(
    _ name: JSONCursor.Text,
    in text: Span<UInt8>,
    to output: inout [UInt8]
  ) {
    // Usually all of it can be copied.
    var (position, copied) = (name.range.lowerBound, name.range.lowerBound)
    while position < name.range.upperBound {
      var (byte, end) = (text[position], position + 1)
      if byte == UInt8(ascii: "\\") {
        byte = JSONCursor.Text.pointed(in: text, at: position)
        end += text[end] == UInt8(ascii: "u") ? 5 : 1
      }
      if byte == UInt8(ascii: "~") || byte == UInt8(ascii: "/") {
        output.append(copying: text.extracting(copied..<position))
        output.append(contentsOf: byte == UInt8(ascii: "~") ? "~0".utf8 : "~1".utf8)
        copied = end
      }
      position = end
    }
    output.append(copying: text.extracting(copied..<position))
  }
}

extension JSONCursor.Text {
  /// The character of an escape if it is `~` or `/`; otherwise a backslash.
  fileprivate static func pointed(in text: Span<UInt8>, at backslash: Int) -> UInt8 {
    let letter = text[backslash + 1]
    guard letter == UInt8(ascii: "u") else {
      return letter == UInt8(ascii: "/") ? letter : UInt8(ascii: "\\")
    }
    let escape = JSONCursor.Text(range: backslash..<backslash + 6, isEscaped: true)
    for byte in "~/".utf8 where escape.equals([byte], in: text) { return byte }
    return UInt8(ascii: "\\")
  }
}
