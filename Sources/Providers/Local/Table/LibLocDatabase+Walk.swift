import Addresses

/// Goes through the network tree of libloc's format (`libloc/format.h`, version 1).
///
/// A node of the tree is a network if it says so, and networks lie within each other: an address is
/// in the one deepest down its way. IPv4 lies at `::ffff:0:0/96`.
private struct LibLocTree {
  /// A branch that is still to be gone through, and the network around it.
  private struct Branch {
    var node: Int
    var depth: Int
    var first: UInt128
    var key: UInt64?
    var length: Int
  }

  private static let none = 0xffff_ffff
  private static let mapped = UInt128(0xffff) << 32

  let tree: [UInt8]
  let networks: [UInt8]

  init(_ file: borrowing DatabaseFile) throws(DatabaseError) {
    let sections = try LibLocLayout.sections(of: file)
    networks = try file.read(at: sections[1].offset, count: sections[1].count)
    tree = try file.read(at: sections[2].offset, count: sections[2].count)
  }

  func walk(_ compiler: inout TableCompiler) throws(TableFailure) {
    var pending = [Branch(node: 0, depth: 0, first: 0, key: nil, length: 0)]
    while var branch = pending.popLast() {
      guard branch.depth == 0 || branch.node != 0 else {
        try end(branch, &compiler)
        continue
      }
      let place = branch.node * LibLocLayout.nodeSize
      guard place + LibLocLayout.nodeSize <= tree.count, branch.depth <= 128 else {
        throw .damaged
      }
      let network = LibLocLayout.number(in: tree, at: place + 8)
      if network != Self.none {
        (branch.key, branch.length) = (try key(of: network), branch.depth)
      }
      let zero = LibLocLayout.number(in: tree, at: place)
      let one = LibLocLayout.number(in: tree, at: place + 4)
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

  /// Hands over what lies in no deeper network.
  private func end(
    _ branch: Branch,
    _ compiler: inout TableCompiler
  ) throws(TableFailure) {
    let isIPv4 = branch.depth >= 96 && branch.first >> 32 == 0xffff
    if isIPv4 {
      // libloc finds no IPv4 address in a network that is wider than all of IPv4.
      let key = branch.length >= 96 ? branch.key : nil
      let form = NetworkForm(length: max(branch.length - 96, 0))
      try compiler.addIPv4(UInt32(truncatingIfNeeded: branch.first), key: key, form: form)
      return
    }
    if branch.first <= Self.mapped,
      Self.mapped >> UInt128(128 - branch.depth)
        == branch.first >> UInt128(128 - branch.depth)
    {
      try compiler.addIPv4(0, key: nil, form: NetworkForm(length: 0))
    }
    let address = Address(number: branch.first)
    try compiler.addIPv6(address, key: branch.key, form: NetworkForm(length: branch.length))
  }

  /// What a network says: its country, flags and AS.
  private func key(of network: Int) throws(TableFailure) -> UInt64 {
    let place = network * 12
    guard place + 12 <= networks.count else { throw .damaged }
    let country = LibLocLayout.number(in: networks, at: place) >> 16
    let asn = LibLocLayout.number(in: networks, at: place + 4)
    let flags = LibLocLayout.number(in: networks, at: place + 8) >> 16
    return UInt64(country) << 48 | UInt64(flags) << 32 | UInt64(asn)
  }
}

extension LibLocDatabase {
  func walk(
    _ file: borrowing DatabaseFile,
    _ compiler: inout TableCompiler
  ) throws(TableFailure) {
    guard let tree = try? LibLocTree(file) else { throw .damaged }
    try tree.walk(&compiler)
  }
}
