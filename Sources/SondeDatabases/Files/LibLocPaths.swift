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

  /// A network of the file, as it has it: the country's letters, zero without one.
  struct Network {
    let country: (UInt8, UInt8)
    let asn: UInt32
    let flags: UInt32
    /// The bits of the prefix; of an IPv4 address, in IPv4.
    let length: Int
  }

  /// The smallest network of an address; `nil` without one, or if the path is damaged.
  ///
  /// libloc 0.9.18 (Debian 13) takes the end of a path for the end of the search, so that it misses
  /// a network around smaller ones that do not hold the address; 0.9.16 (Debian 12) does not.
  func network(of address: Address) -> Network? {
    var deepest: (number: Int, depth: Int)?
    let isSound = follow(address) { network, depth in
      if network != LibLocLayout.noNetwork { deepest = (network, depth) }
    }
    let start = address.isIPv4 ? 96 : 0
    // libloc finds no IPv4 address in a network wider than all of IPv4.
    guard isSound, let deepest, deepest.depth >= start else { return nil }
    let size = LibLocLayout.networkSize
    let offset = tree.networks.offset + deepest.number * size
    guard let bytes = try? file.read(at: offset, count: size) else { return nil }
    return Network(
      country: (bytes[0], bytes[1]),
      asn: UInt32(LibLocLayout.number(in: bytes, at: 4)),
      flags: UInt32(bytes[8]) << 8 | UInt32(bytes[9]),
      length: deepest.depth - start
    )
  }

  private func hasPath(to address: Address) -> Bool { follow(address) { _, _ in } }

  /// Follows at most 128 bits of an address, within the tree, until a branch ends, and passes the
  /// number of each node's network and its depth; `false` if the path is damaged.
  private func follow(_ address: Address, _ visit: (Int, Int) -> Void) -> Bool {
    let size = LibLocLayout.nodeSize
    var node = 0
    for bit in 0...128 {
      guard node < tree.nodes.count / size,
        let bytes = try? file.read(at: tree.nodes.offset + node * size, count: size),
        tree.holds(network: LibLocLayout.number(in: bytes, at: 8))
      else { return false }
      visit(LibLocLayout.number(in: bytes, at: 8), bit)
      // After the last bit libloc takes the branch of a zero.
      let isOne = bit < 128 && address.number >> UInt128(127 - bit) & 1 == 1
      node = LibLocLayout.number(in: bytes, at: isOne ? 4 : 0)
      if node == 0 { return true }
    }
    return false
  }
}
