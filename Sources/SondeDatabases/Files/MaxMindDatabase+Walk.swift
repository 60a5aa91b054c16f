import CSondeMaxMindDB
import SondeAddresses

/// The target of a branch in an MMDB search tree.
enum MaxMindBranch: Equatable {
  case node(UInt32)
  case nothing
  /// The entry at an offset in the data.
  case entry(UInt32)
}

extension MaxMindDatabase {
  private struct Pending {
    var branch: MaxMindBranch
    var depth: Int
    var first: UInt128

    var key: UInt64? { if case .entry(let offset) = branch { UInt64(offset) } else { nil } }
  }

  func walk(
    _ file: borrowing DatabaseFile,
    _ compiler: inout DatabaseCompiler
  ) throws(CompiledDatabaseError) {
    // A tree has as many branches as nodes; with shared nodes, their number is unlimited.
    var budget = 4 * Int(nodeCount) + 1024
    guard isTree128 else {
      try walk(Pending(branch: root, depth: 96, first: 0), &budget) {
        branch throws(CompiledDatabaseError) in
        let form = NetworkForm(length: branch.depth - 96)
        try compiler.addIPv4(UInt32(truncatingIfNeeded: branch.first), key: branch.key, form: form)
      }
      return
    }
    let ipv4 = try ipv4Root()
    try walk(ipv4, &budget) { branch throws(CompiledDatabaseError) in
      let length = branch.depth - 96
      let form = length >= 0 ? NetworkForm(length: length) : NetworkForm(wideLength: branch.depth)
      try compiler.addIPv4(UInt32(truncatingIfNeeded: branch.first), key: branch.key, form: form)
    }
    let shared: MaxMindBranch? = if case .node = ipv4.branch { ipv4.branch } else { nil }
    try walk(Pending(branch: root, depth: 0, first: 0), &budget, upTo: shared) {
      branch throws(CompiledDatabaseError) in
      let address = Address(number: branch.first)
      if case .node = branch.branch {
        try compiler.addIPv6(address, embeddingAt: branch.depth)
      } else {
        try compiler.addIPv6(address, key: branch.key, form: NetworkForm(length: branch.depth))
      }
    }
  }

  private var root: MaxMindBranch { nodeCount == 0 ? .nothing : .node(0) }

  /// The root of IPv4: 96 zeros down the tree, or as far as it goes.
  private func ipv4Root() throws(CompiledDatabaseError) -> Pending {
    var (branch, depth) = (root, 0)
    while depth < 96, case .node(let node) = branch {
      branch = try children(of: node).zero
      depth += 1
    }
    return Pending(branch: branch, depth: depth, first: 0)
  }

  /// Iterates over all branches below one in order; a shared node counts as an end.
  private func walk(
    _ start: Pending,
    _ budget: inout Int,
    upTo shared: MaxMindBranch? = nil,
    _ take: (Pending) throws(CompiledDatabaseError) -> Void
  ) throws(CompiledDatabaseError) {
    var pending = [start]
    while let next = pending.popLast() {
      guard case .node(let node) = next.branch, next.branch != shared || next.depth > 96 else {
        try take(next)
        continue
      }
      budget -= 1
      guard next.depth < 128, budget >= 0 else { throw next.depth < 128 ? .tooLarge : .damaged }
      let (zero, one) = try children(of: node)
      let bit = UInt128(1) << UInt128(127 - next.depth)
      pending.append(Pending(branch: one, depth: next.depth + 1, first: next.first | bit))
      pending.append(Pending(branch: zero, depth: next.depth + 1, first: next.first))
    }
  }
}
