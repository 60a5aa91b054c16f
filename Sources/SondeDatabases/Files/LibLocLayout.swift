/// Checks what libloc trusts in a database file (`libloc/format.h`, version 1) before opening it.
///
/// libloc 0.9 follows the tree by unlimited recursion and reads texts up to their NUL, so a damaged
/// file would crash it; after these checks, none can. Integers are big-endian.
enum LibLocLayout {
  /// A range of the file's bytes.
  struct Section {
    let offset: Int
    let count: Int
  }

  /// The network tree: its nodes, and the networks to which they may refer.
  struct Tree {
    let nodes: Section
    let networks: Section

    var networkCount: Int { networks.count / LibLocLayout.networkSize }

    /// Whether a node refers to no network, or to an existing one.
    func holds(network: Int) -> Bool { network == noNetwork || network < networkCount }
  }

  /// The magic and the header, including both signatures.
  private static let headerSize = 8 + 4192

  /// The bytes of a node: its child for a 0 bit, its child for a 1 bit, its network.
  static let nodeSize = 12

  /// The network number of a node that has none.
  static let noNetwork = 0xffff_ffff

  /// The bytes of a network: country, AS number, flags.
  static let networkSize = 12

  /// Checks everything except the network tree, and returns that, which has at least a root.
  static func check(_ file: borrowing DatabaseFile) throws(DatabaseError) -> Tree {
    let sections = try sections(of: file)
    try checkTexts(sections[4], of: file)
    guard sections[2].count >= nodeSize else { throw damaged(file, "it has no network tree") }
    return Tree(nodes: sections[2], networks: sections[1])
  }

  /// The sections, all within the file: ASes, networks, tree, countries, texts.
  static func sections(of file: borrowing DatabaseFile) throws(DatabaseError) -> [Section] {
    guard file.size >= headerSize else { throw damaged(file, "it is cut short") }
    let header = try file.read(at: 0, count: headerSize)
    guard header[7] == 1 else { throw damaged(file, "its format version is not known") }
    // They follow the date and three texts.
    let sections = (0..<5).map { index in
      Section(
        offset: number(in: header, at: 28 + index * 8),
        count: number(in: header, at: 32 + index * 8)
      )
    }
    for section in sections where section.offset + section.count > file.size {
      throw damaged(file, "a section ends past the end of the file")
    }
    return sections
  }

  private static func checkTexts(
    _ section: Section,
    of file: borrowing DatabaseFile
  ) throws(DatabaseError) {
    guard section.count > 0,
      try file.read(at: section.offset + section.count - 1, count: 1) == [0]
    else { throw damaged(file, "its texts do not end") }
  }

  /// Checks the whole network tree: 37 MB in a database of 1.3 million networks.
  ///
  /// libloc's writer numbers the nodes level by level, so one pass proves that the tree has no loop
  /// and no branch of more than 128 bits.
  static func check(_ tree: Tree, of file: borrowing DatabaseFile) throws(DatabaseError) {
    let count = tree.nodes.count / nodeSize
    var order = LevelOrder()
    for first in stride(from: 0, to: count, by: 1 << 16) {
      let nodes = min(count - first, 1 << 16)
      let bytes = try file.read(at: tree.nodes.offset + first * nodeSize, count: nodes * nodeSize)
      guard accept(bytes, of: tree, by: &order) else {
        throw damaged(file, "its network tree is broken")
      }
    }
    guard order.lastChild == count - 1 else { throw damaged(file, "its network tree is cut short") }
  }

  private static func accept(_ bytes: [UInt8], of tree: Tree, by order: inout LevelOrder) -> Bool {
    for start in stride(from: 0, to: bytes.count, by: nodeSize) {
      let zero = number(in: bytes, at: start)
      let one = number(in: bytes, at: start + 4)
      guard order.accept(zero: zero, one: one),
        tree.holds(network: number(in: bytes, at: start + 8))
      else { return false }
    }
    return true
  }

  static func number(in bytes: [UInt8], at offset: Int) -> Int {
    Int(bytes[offset]) << 24 | Int(bytes[offset + 1]) << 16
      | Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
  }

  private static func damaged(_ file: borrowing DatabaseFile, _ detail: String) -> DatabaseError {
    DatabaseError(path: file.path, reason: .damaged(detail))
  }
}

/// Proves node by node that a tree is numbered level by level and is at most 128 levels deep.
struct LevelOrder {
  /// The highest number of a child so far.
  private(set) var lastChild = 0

  private var node = 0
  private var depth = 0
  private var lastOfLevel = 0

  /// Takes the next node's children, 0 for none; `false` if they violate the order.
  mutating func accept(zero: Int, one: Int) -> Bool {
    guard node <= lastChild else { return false }
    if node > lastOfLevel {
      depth += 1
      lastOfLevel = lastChild
    }
    node += 1
    return accept(child: zero) && accept(child: one)
  }

  private mutating func accept(child: Int) -> Bool {
    if child == 0 { return true }
    lastChild += 1
    return child == lastChild && depth < 128
  }
}
