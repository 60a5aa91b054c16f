import SondeAddresses
import SondeTables

extension BlockPlan {
  /// Finds the rules for the hits of addresses, each of which occurs once, in any order.
  ///
  /// The set is within the limits with, in this order, the fewest rules, the fewest good hits touched,
  /// the most bad hits covered and the smallest span. That is exact where no good hit may be touched,
  /// and where the number of bad addresses times one more than the good hits allowed is at most 20,000;
  /// else it has few more rules than ``Totals/atLeast``. Where the limits cannot be met, the set covers
  /// the most bad hits that it can.
  public init(_ hits: [AddressHits], sparing spared: SparedNetworks, _ limits: BlockLimits) {
    self.init()
    let parts = Parts(hits, spared, limits)
    totals.never = parts.never
    (totals.bad, totals.good) = (parts.badWeights.total, parts.goodWeights.total)
    let targets = RuleTargets(
      bad: limits.cover.atLeast(of: totals.bad),
      good: limits.collateral.atMost(of: totals.good),
      rules: limits.mostRules ?? .max
    )
    let forest = RuleForest(
      parts.badWeights,
      sparing: parts.goodWeights,
      spared,
      mostGood: targets.good,
      limits
    )
    let search = RuleSearch(forest: forest, targets: targets, addresses: parts.bad.count)
    let found = search.found()
    take(found, of: forest, parts)
    totals.isMet = targets.are(metBy: found.sums)
    totals.atLeast = found.atLeast
    leave(found, of: forest, targets, parts)
  }

  private mutating func take(_ found: RuleSearch.Found, of forest: RuleForest, _ parts: Parts) {
    for index in found.nodes {
      let node = forest.nodes[index]
      let (first, last) = (node.number, node.last)
      let touched = parts.good[parts.goodWeights.indices(first, last)]
      let bad = parts.bad[node.addresses]
      guard let chief = bad.min(by: { ($1.bad, $0.address) < ($0.bad, $1.address) }) else {
        continue
      }
      let length = node.isIPv4 ? node.length - 96 : node.length
      rules.append(
        BlockRule(
          prefix: Prefix(holding: Address(number: node.number), length: length),
          bad: node.bad,
          good: node.good,
          other: parts.otherWeights.weight(first, last),
          addresses: node.addresses.count,
          touched: touched.sorted { ($1.good, $0.address) < ($0.good, $1.address) }.prefix(3)
            .map { BlockRule.Touched(address: $0.address, hits: $0.good) },
          chief: chief.address
        )
      )
    }
    rules.sort { $0.precedes($1) }
    totals.badCovered = found.sums.bad
    totals.goodTouched = found.sums.good
    totals.other = rules.reduce(0) { $0.addingCapped($1.other) }
    totals.addresses = rules.reduce(0) { $0 + $1.addresses }
    totals.spanIPv4 = found.sums.span.ipv4
    let span = found.sums.span.ipv6
    totals.spanIPv6 = UInt64(clamping: span >> 64) + (UInt64(truncatingIfNeeded: span) > 0 ? 1 : 0)
  }

  /// Finds out why the other bad addresses are not covered.
  private mutating func leave(
    _ found: RuleSearch.Found,
    of forest: RuleForest,
    _ targets: RuleTargets,
    _ parts: Parts
  ) {
    var isCovered = [Bool](repeating: false, count: parts.bad.count)
    for index in found.nodes { for at in forest.nodes[index].addresses { isCovered[at] = true } }
    var all: [(at: Int, why: LeftReason)] = []
    left = Dictionary(uniqueKeysWithValues: LeftReason.allCases.map { ($0, 0) })
    for node in forest.nodes where node.halves == nil {
      guard !isCovered[node.addresses.lowerBound] else { continue }
      if node.isSpared { besideSpared = besideSpared.addingCapped(node.bad) }
      let why: LeftReason =
        if !node.isAllowed {
          .good
        } else if totals.isMet {
          .enough
        } else {
          node.good <= targets.good - found.sums.good ? .rules : .good
        }
      left[why, default: 0] += node.bad
      all += node.addresses.map { (at: $0, why: why) }
    }
    let bad = parts.bad
    all.sort { (bad[$1.at].bad, bad[$0.at].address) < (bad[$0.at].bad, bad[$1.at].address) }
    top = all.prefix(10).map { at, why in
      Left(address: bad[at].address, bad: parts.badWeights.weight(at..<at + 1), why: why)
    }
  }
}

extension BlockRule {
  /// Whether a rule comes before another one: the most bad hits, then family, address and length.
  fileprivate func precedes(_ other: BlockRule) -> Bool {
    if bad != other.bad { return bad > other.bad }
    let (one, two) = (prefix.address, other.prefix.address)
    if one.isIPv4 != two.isIPv4 { return one.isIPv4 }
    return one == two ? prefix.length < other.prefix.length : one < two
  }
}

/// The addresses by what they are, in order, and what they weigh.
private struct Parts {
  private(set) var bad: [AddressHits] = []
  private(set) var good: [AddressHits] = []
  private(set) var badWeights = HitWeights()
  private(set) var goodWeights = HitWeights()
  private(set) var otherWeights = HitWeights()
  private(set) var never: UInt64 = 0

  init(_ hits: [AddressHits], _ spared: SparedNetworks, _ limits: BlockLimits) {
    let countsHits = limits.count == .hits
    func weight(_ hits: UInt64) -> UInt64 { countsHits ? hits : min(hits, 1) }
    for one in hits.sorted(by: { $0.address < $1.address }) {
      let number = one.address.number
      if spared.contains(one.address) {
        never = never.addingCapped(weight(one.bad))
        continue
      }
      if one.bad > 0 {
        bad.append(one)
        badWeights.append(number, weight(one.bad))
      }
      if one.good > 0 {
        good.append(one)
        goodWeights.append(number, weight(one.good))
      }
      if one.other > 0 { otherWeights.append(number, weight(one.other)) }
    }
  }
}
