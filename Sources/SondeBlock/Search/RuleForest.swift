import SondeAddresses

/// The prefixes worth a rule: binary tries over the bad addresses, cut where no rule is allowed.
///
/// A set without rules that are wider than its bad addresses need has only rules that are the longest
/// common prefix of the addresses in them, or of the longest length. These are the nodes of the tries
/// whose paths are compressed: fewer than two for each bad address. What the children of a node may
/// not have (a shorter length, spared networks, more good hits than allowed) it may have neither, so
/// that what is allowed is again a forest.
struct RuleForest: Sendable {
  /// A prefix.
  struct Node: Sendable {
    /// Its lowest address.
    let number: UInt128
    /// Its length, which counts all 128 bits of an address of either family.
    let length: Int
    /// Its bad addresses.
    let addresses: Range<Int>
    let bad: UInt64
    let good: UInt64
    /// The halves with bad addresses, which come before it in ``nodes``; `nil` for one of the
    /// longest length or with a single one.
    let halves: (Int, Int)?
    var isAllowed = true
    /// Whether it has addresses that no rule may touch.
    var isSpared = false

    /// Its highest address.
    var last: UInt128 { number | hostBits(length) }
    var isIPv4: Bool { length >= 96 && Address(number: number).isIPv4 }
    /// The number of its addresses.
    var span: RuleSpan { RuleSpan(length: length, isIPv4: isIPv4) }
  }

  /// All prefixes, each behind those within it.
  private(set) var nodes: [Node] = []
  /// The widest prefixes allowed, in the order of their addresses.
  private(set) var roots: [Int] = []

  /// Finds the prefixes for bad addresses.
  ///
  /// `mostGood` is the greatest weight of good hits that one rule may touch.
  init(
    _ bad: HitWeights,
    sparing good: HitWeights,
    _ spared: SparedNetworks,
    mostGood: UInt64,
    _ limits: BlockLimits
  ) {
    nodes.reserveCapacity(2 * bad.numbers.count)
    // The trie's right edge, each with the length that it has in common with the one before.
    var edge: [(node: Int, common: Int)] = []
    for leaf in Leaves(bad, limits) {
      while edge.count > 1, edge[edge.count - 1].common > leaf.common {
        join(&edge, bad, good)
      }
      if leaf.common < leaf.shortest {
        while edge.count > 1 { join(&edge, bad, good) }
        edge = []
      }
      nodes.append(Self.node(leaf.number, leaf.length, leaf.addresses, nil, bad, good))
      edge.append((nodes.count - 1, leaf.common))
    }
    while edge.count > 1 { join(&edge, bad, good) }
    allow(spared, mostGood)
  }

  private mutating func join(
    _ edge: inout [(node: Int, common: Int)],
    _ bad: HitWeights,
    _ good: HitWeights
  ) {
    let right = edge.removeLast()
    let left = edge[edge.count - 1]
    let addresses =
      nodes[left.node].addresses.lowerBound..<nodes[right.node].addresses.upperBound
    let halves = (left.node, right.node)
    let number = nodes[left.node].number & ~hostBits(right.common)
    nodes.append(Self.node(number, right.common, addresses, halves, bad, good))
    edge[edge.count - 1].node = nodes.count - 1
  }

  private static func node(
    _ number: UInt128,
    _ length: Int,
    _ addresses: Range<Int>,
    _ halves: (Int, Int)?,
    _ bad: HitWeights,
    _ good: HitWeights
  ) -> Node {
    Node(
      number: number,
      length: length,
      addresses: addresses,
      bad: bad.weight(addresses),
      good: good.weight(number, number | hostBits(length)),
      halves: halves
    )
  }

  /// Marks what is allowed, and finds the roots.
  private mutating func allow(_ spared: SparedNetworks, _ mostGood: UInt64) {
    var isBelow = [Bool](repeating: false, count: nodes.count)
    for index in nodes.indices {
      let node = nodes[index]
      let areHalves = node.halves.map { nodes[$0.0].isAllowed && nodes[$0.1].isAllowed } ?? true
      nodes[index].isSpared = spared.overlap(node.number, node.last)
      nodes[index].isAllowed = areHalves && node.good <= mostGood && !nodes[index].isSpared
      if nodes[index].isAllowed, let (left, right) = node.halves {
        (isBelow[left], isBelow[right]) = (true, true)
      }
    }
    roots = nodes.indices.filter { nodes[$0].isAllowed && !isBelow[$0] }
  }
}

/// The number of addresses of rules.
struct RuleSpan: Hashable, Comparable, Sendable {
  var ipv4: UInt64 = 0
  var ipv6: UInt128 = 0

  init() {}

  init(length: Int, isIPv4: Bool) {
    // A rule never has all addresses, since special-purpose ones are among them.
    let size: UInt128 = length == 0 ? .max : 1 << UInt128(128 - length)
    if isIPv4 { ipv4 = UInt64(size) } else { ipv6 = size }
  }

  static func + (left: RuleSpan, right: RuleSpan) -> RuleSpan {
    var sum = left
    sum.ipv4 &+= right.ipv4
    sum.ipv6 &+= right.ipv6
    return sum
  }

  static func < (left: RuleSpan, right: RuleSpan) -> Bool {
    (left.ipv4, left.ipv6) < (right.ipv4, right.ipv6)
  }
}

/// The bits behind a prefix's length.
private func hostBits(_ length: Int) -> UInt128 { length >= 128 ? 0 : .max >> UInt128(length) }

/// The prefixes of the longest length that have bad addresses, in order.
private struct Leaves: Sequence, IteratorProtocol {
  struct Leaf {
    let number: UInt128
    let length: Int
    let addresses: Range<Int>
    /// The shortest length of its family.
    let shortest: Int
    /// The bits that it has in common with the leaf before; -1 for none and for another family.
    let common: Int
  }

  private let bad: HitWeights
  private let limits: BlockLimits
  private var position = 0
  private var before: (number: UInt128, isIPv4: Bool)?

  init(_ bad: HitWeights, _ limits: BlockLimits) { (self.bad, self.limits) = (bad, limits) }

  mutating func next() -> Leaf? {
    guard position < bad.numbers.count else { return nil }
    let address = Address(number: bad.numbers[position])
    let length = limits.longest.mapped(for: address)
    let hosts = hostBits(length)
    let number = bad.numbers[position] & ~hosts
    let start = position
    while position < bad.numbers.count, bad.numbers[position] & ~hosts == number,
      Address(number: bad.numbers[position]).isIPv4 == address.isIPv4
    {
      position += 1
    }
    var common = -1
    if let before, before.isIPv4 == address.isIPv4 {
      common = (before.number ^ number).leadingZeroBitCount
    }
    before = (number, address.isIPv4)
    return Leaf(
      number: number,
      length: length,
      addresses: start..<position,
      shortest: limits.shortest.mapped(for: address),
      common: common
    )
  }
}
