import SondeAddresses

/// Iterates over the network tree of libloc's format (`libloc/format.h`, version 1).
///
/// A node of the tree may have a network, and networks may be nested: the deepest one on an
/// address's path counts. IPv4 is at `::ffff:0:0/96`.
private struct LibLocTree {
  /// A pending branch, and the network around it.
  private struct Branch {
    var node: Int
    var depth: Int
    var first: UInt128
    var key: UInt64?
    var length: Int
  }

  private static let mapped = UInt128(0xffff) << 32

  private var nodes: LibLocEntries
  private var networks: LibLocEntries

  init(_ file: borrowing DatabaseFile) throws(DatabaseError) {
    let sections = try LibLocLayout.sections(of: file)
    networks = LibLocEntries(section: sections[1])
    nodes = LibLocEntries(section: sections[2])
  }

  mutating func walk(
    _ file: borrowing DatabaseFile,
    _ compiler: inout DatabaseCompiler
  ) throws(CompiledDatabaseError) {
    var pending = [Branch(node: 0, depth: 0, first: 0, key: nil, length: 0)]
    while var branch = pending.popLast() {
      guard branch.depth == 0 || branch.node != 0 else {
        try end(branch, &compiler)
        continue
      }
      let (zero, one, network) = try nodes.read(branch.node, level: branch.depth, of: file)
      if network != LibLocLayout.noNetwork {
        branch.key = try key(of: network, level: branch.depth, file)
        branch.length = branch.depth
      }
      guard zero | one != 0 else {
        try end(branch, &compiler)
        continue
      }
      guard branch.depth < 128 else { throw .damaged }
      var (lower, upper) = (branch, branch)
      (lower.node, lower.depth) = (zero, branch.depth + 1)
      (upper.node, upper.depth) = (one, branch.depth + 1)
      upper.first |= UInt128(1) << UInt128(127 - branch.depth)
      pending.append(upper)
      pending.append(lower)
    }
  }

  /// Passes the addresses that are in no deeper network.
  private func end(
    _ branch: Branch,
    _ compiler: inout DatabaseCompiler
  ) throws(CompiledDatabaseError) {
    let isIPv4 = branch.depth >= 96 && branch.first >> 32 == 0xffff
    if isIPv4 {
      // libloc finds no IPv4 address in a network wider than all of IPv4.
      let key = branch.length >= 96 ? branch.key : nil
      let form = NetworkForm(length: max(branch.length - 96, 0))
      try compiler.addIPv4(UInt32(truncatingIfNeeded: branch.first), key: key, form: form)
      return
    }
    if branch.first <= Self.mapped,
      Self.mapped >> UInt128(128 - branch.depth) == branch.first >> UInt128(128 - branch.depth)
    {
      try compiler.addIPv4(0, key: nil, form: NetworkForm(length: 0))
    }
    let address = Address(number: branch.first)
    try compiler.addIPv6(address, key: branch.key, form: NetworkForm(length: branch.length))
  }

  /// The content of a network: its country, flags and AS.
  private mutating func key(
    of network: Int,
    level: Int,
    _ file: borrowing DatabaseFile
  ) throws(CompiledDatabaseError) -> UInt64 {
    let (country, asn, flags) = try networks.read(network, level: level, of: file)
    return UInt64(country >> 16) << 48 | UInt64(flags >> 16) << 32 | UInt64(asn)
  }
}

/// The nodes or networks of a file, of three numbers each, with a window per level of the tree.
///
/// libloc's writer stores them by levels, so that a depth-first iteration reads those of each level
/// in order.
private struct LibLocEntries {
  private static let windowCount = 512

  private let section: LibLocLayout.Section
  /// For each level the number of the first entry in its window, and its bytes.
  private var windows = [(first: Int, bytes: [UInt8])](repeating: (0, []), count: 129)

  init(section: LibLocLayout.Section) { self.section = section }

  mutating func read(
    _ index: Int,
    level: Int,
    of file: borrowing DatabaseFile
  ) throws(CompiledDatabaseError) -> (Int, Int, Int) {
    let size = LibLocLayout.nodeSize
    guard (index + 1) * size <= section.count, windows.indices.contains(level) else {
      throw .damaged
    }
    var place = (index - windows[level].first) * size
    if place < 0 || place >= windows[level].bytes.count {
      let count = min(section.count / size - index, Self.windowCount)
      let bytes = try? file.read(at: section.offset + index * size, count: count * size)
      guard let bytes else { throw .damaged }
      windows[level] = (index, bytes)
      place = 0
    }
    return (
      LibLocLayout.number(in: windows[level].bytes, at: place),
      LibLocLayout.number(in: windows[level].bytes, at: place + 4),
      LibLocLayout.number(in: windows[level].bytes, at: place + 8)
    )
  }
}

extension LibLocDatabase {
  func walk(
    _ file: borrowing DatabaseFile,
    _ compiler: inout DatabaseCompiler
  ) throws(CompiledDatabaseError) {
    guard (try? checkTree()) != nil, var tree = try? LibLocTree(file) else { throw .damaged }
    try tree.walk(file, &compiler)
  }
}
