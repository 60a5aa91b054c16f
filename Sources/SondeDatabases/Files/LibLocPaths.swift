import SondeAddresses

/// Decides which addresses libloc may look up: those whose path in the network tree is valid.
///
/// libloc follows one path down the tree per address. For the first few addresses only that path is
/// checked; for more, the whole tree is checked once, which takes as long as the paths of some
/// hundred addresses.
struct LibLocPaths: ~Copyable {
  /// The number of addresses whose paths are checked individually.
  static let limit = 32

  private let file: DatabaseFile
  private let tree: LibLocLayout.Tree
  private var asked = 0
  private var isWhole = false

  /// Takes a network tree that has a root, and whose file may be closed.
  init(in tree: LibLocLayout.Tree, of file: borrowing DatabaseFile) throws(DatabaseError) {
    self.file = try file.copy()
    self.tree = tree
  }

  /// Whether libloc can safely look up an address; `false` if the tree is damaged.
  mutating func lead(to address: Address) -> Bool {
    if asked == Self.limit { try? checkWhole() }
    asked += 1
    return isWhole || hasPath(to: address)
  }

  mutating func checkWhole() throws(DatabaseError) {
    guard !isWhole else { return }
    try LibLocLayout.check(tree, of: file)
    isWhole = true
  }

  /// Follows at most 128 bits of an address, within the tree, until a branch ends.
  private func hasPath(to address: Address) -> Bool {
    let size = LibLocLayout.nodeSize
    var node = 0
    for bit in 0...128 {
      guard node < tree.nodes.count / size,
        let bytes = try? file.read(at: tree.nodes.offset + node * size, count: size),
        tree.holds(network: LibLocLayout.number(in: bytes, at: 8))
      else { return false }
      // After the last bit libloc takes the branch of a zero.
      let isOne = bit < 128 && address.number >> UInt128(127 - bit) & 1 == 1
      node = LibLocLayout.number(in: bytes, at: isOne ? 4 : 0)
      if node == 0 { return true }
    }
    return false
  }
}
