/// The search for the best set of rules.
struct RuleSearch {
  /// The product of bad addresses and of good hits allowed, plus one, up to which the search is exact.
  static let exactSize: UInt64 = 20_000

  let forest: RuleForest
  let targets: RuleTargets
  /// The number of bad addresses.
  let addresses: Int

  /// What was found.
  struct Found {
    var nodes: [Int]
    var sums: RuleSums
    /// The number of rules that no set as good can go below.
    var atLeast: Int
  }

  func found() -> Found {
    if targets.good == 0 { return withoutGood() }
    let (size, isTooLarge) = (targets.good + 1).multipliedReportingOverflow(by: UInt64(addresses))
    if !isTooLarge, size <= Self.exactSize {
      var fronts = RuleFronts(forest, targets)
      if let best = fronts.best() {
        return Found(nodes: best.nodes, sums: best.sums, atLeast: best.sums.rules)
      }
    }
    return near()
  }

  /// The best set of those that touch no good hit, which needs no search.
  ///
  /// Every rule of such a set lies in one of the forest's trees, whose roots are the widest prefixes
  /// without good hits. With the root in place of all rules within it a set has no more rules and covers
  /// no less, so that only roots come into question. They are disjoint: k rules cover most if they are
  /// the k roots with the most bad hits, and the fewest rules that cover enough are the first k of them
  /// that do. Among roots with equal bad hits those with the smallest span are first.
  private func withoutGood() -> Found {
    let order = forest.roots.sorted {
      let (one, other) = (forest.nodes[$0], forest.nodes[$1])
      if one.bad != other.bad { return one.bad > other.bad }
      return one.span == other.span ? $0 < $1 : one.span < other.span
    }
    var found = Found(nodes: [], sums: RuleSums(), atLeast: 0)
    for root in order {
      guard found.sums.bad < targets.bad, found.sums.rules < targets.rules else { break }
      found.nodes.append(root)
      found.sums = found.sums + RuleSums(forest.nodes[root])
    }
    found.atLeast = found.sums.rules
    return found
  }

  /// A set near the best, or the best where the gap to the bound is too wide.
  private func near() -> Found {
    var relaxation = RuleRelaxation(forest, targets)
    relaxation.search()
    let atLeast = relaxation.fewestRules
    if let best = relaxation.best, Self.isNear(best.sums.rules, atLeast) {
      return Found(nodes: best.nodes, sums: best.sums, atLeast: min(atLeast, best.sums.rules))
    }
    var fronts = RuleFronts(forest, targets, mostPairs: 20_000_000)
    if let best = fronts.best() {
      return Found(nodes: best.nodes, sums: best.sums, atLeast: best.sums.rules)
    }
    if let best = relaxation.best {
      return Found(nodes: best.nodes, sums: best.sums, atLeast: min(atLeast, best.sums.rules))
    }
    return coveringMost(relaxation)
  }

  private func coveringMost(_ relaxation: RuleRelaxation) -> Found {
    var relaxation = relaxation
    let most = relaxation.mostCovering()
    // With as few rules as that needs.
    let targets = RuleTargets(bad: most.sums.bad, good: targets.good, rules: targets.rules)
    var fewer = RuleRelaxation(forest, targets)
    fewer.search()
    let best = fewer.best.map { $0.sums.isBetter(than: most.sums) ? $0 : most } ?? most
    let atLeast = min(fewer.fewestRules, best.sums.rules)
    return Found(nodes: best.nodes, sums: best.sums, atLeast: atLeast)
  }

  /// Whether a set is at most 2 % and 2 rules above a bound.
  static func isNear(_ rules: Int, _ bound: Int) -> Bool { rules * 100 <= bound * 102 + 200 }
}
