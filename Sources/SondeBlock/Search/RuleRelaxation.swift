/// A lower bound for the number of rules, and sets near to it, for inputs too large for all choices.
///
/// With a price λ for each bad hit that is covered and μ for each good one that is touched, the best set
/// is found tree by tree, in one walk: a prefix is a rule if it costs less than the best of its halves.
/// Whatever the prices, L = (cost of that set) + λ · (bad hits to cover) − μ · (good hits allowed) is at
/// most the number of rules of any set that meets both limits (Lagrangian relaxation), so that the
/// greatest L rounded up is one that no set can go below. Searching the prices gives sets on both sides
/// of the limits with almost the same cost; tree by tree, one becomes the other (``near(_:_:)``), so that the
/// set usually misses the bound by little more than one tree's rules. Where it is not near enough,
/// ``RuleSearch`` uses the exact search, up to a number of steps. Hence a distance of at most 2 % and 2
/// rules is what tests have found, not what this proves; the bound itself holds for any set.
struct RuleRelaxation {
  /// What the numbers of a set cost.
  struct Prices: Sendable {
    var rule = 1.0
    var good = 0.0
    var bad = 0.0
  }

  /// A set, by the chosen nodes of the forest.
  struct Solution {
    var nodes: [Int] = []
    var sums = RuleSums()
  }

  let forest: RuleForest
  let targets: RuleTargets
  /// The greatest bound so far.
  private(set) var bound = 0.0
  /// The best set so far that meets the targets.
  private(set) var best: Solution?
  private var costs: [Double]

  /// The fewest rules of any set that meets the targets, less what the arithmetic may have added.
  var fewestRules: Int { max(0, Int((bound * (1 - 1e-7) - 1e-6).rounded(.up))) }

  init(_ forest: RuleForest, _ targets: RuleTargets) {
    (self.forest, self.targets) = (forest, targets)
    costs = [Double](repeating: 0, count: forest.nodes.count)
  }

  /// Searches the prices: for each one of good hits, which is halved, that of bad hits.
  mutating func search() {
    guard let low = bracket(good: 0) else { return }
    // Enough is covered and too much is touched: the good hits get a price.
    guard low.sums.good > targets.good else { return take(low) }
    var (free, dear) = (0.0, 1 / Double(max(1, targets.good)))
    while let solution = bracket(good: dear), solution.sums.good > targets.good, dear < 1e9 {
      (free, dear) = (dear, dear * 4)
    }
    for _ in 0..<30 where dear - free > 1e-9 * dear {
      let middle = free == 0 ? dear / 16 : (free + dear) / 2
      guard let solution = bracket(good: middle) else { break }
      if solution.sums.good > targets.good {
        free = middle
      } else {
        dear = middle
        take(solution)
      }
    }
    if let solution = bracket(good: dear) { take(solution) }
  }

  /// The set that covers just enough with a price for good hits; `nil` if none does.
  ///
  /// At the price of bad hits at which two sets cost the same, a third one costs less, or no other price
  /// gives a greater bound (Handler and Zang, "A dual algorithm for the constrained shortest path
  /// problem", Networks 10, 1980).
  private mutating func bracket(good: Double) -> Solution? {
    var (under, over, price) = (Solution(), solve(Prices(good: good, bad: 1)), 1.0)
    while over.sums.bad < targets.bad {
      guard price < 1e15 else { return nil }
      price *= 8
      (under, over) = (over, solve(Prices(good: good, bad: price)))
    }
    func cost(_ sums: RuleSums, _ bad: Double) -> Double {
      Double(sums.rules) + good * Double(sums.good) - bad * Double(sums.bad)
    }
    for _ in 0..<Self.mostPrices where over.sums.rules - under.sums.rules > 1 {
      let difference = cost(over.sums, 0) - cost(under.sums, 0)
      let price = max(0, difference / Double(over.sums.bad - under.sums.bad))
      let next = solve(Prices(good: good, bad: price))
      let (least, known) = (cost(next.sums, price), cost(under.sums, price))
      guard known - least > 1e-9 * max(1, abs(known)) else { break }
      if next.sums.bad >= targets.bad { over = next } else { under = next }
    }
    return near(under, over)
  }

  private static let mostPrices = 60

  /// The set of the least cost, whose bound is kept.
  private mutating func solve(_ prices: Prices) -> Solution {
    for (index, node) in forest.nodes.enumerated() where node.isAllowed {
      let own = prices.rule + prices.good * Double(node.good) - prices.bad * Double(node.bad)
      let parts = node.halves.map { costs[$0.0] + costs[$0.1] } ?? 0
      costs[index] = min(own, parts)
    }
    var (solution, open) = (Solution(), Array(forest.roots.reversed()))
    while let index = open.popLast() {
      let node = forest.nodes[index]
      let parts = node.halves.map { costs[$0.0] + costs[$0.1] } ?? 0
      if costs[index] < parts {
        solution.nodes.append(index)
        solution.sums = solution.sums + RuleSums(node)
      } else if costs[index] < 0, let (left, right) = node.halves {
        open += [right, left]
      }
    }
    let cost = forest.roots.reduce(0) { $0 + costs[$1] }
    let value = cost + prices.bad * Double(targets.bad) - prices.good * Double(targets.good)
    if prices.rule == 1 { bound = max(bound, value) }
    return solution
  }

  /// A set that covers enough, made of one that does not and one that does: tree by tree, those first
  /// that win most bad hits for what they cost.
  private func near(_ under: Solution, _ over: Solution) -> Solution {
    let (before, after) = (byRoot(under), byRoot(over))
    let changes = forest.roots.indices.filter {
      under.nodes[before[$0].nodes] != over.nodes[after[$0].nodes]
    }
    let gains = changes.map { index -> (Int, Double) in
      let won = Double(after[index].sums.bad) - Double(before[index].sums.bad)
      let lost = Double(after[index].sums.good) - Double(before[index].sums.good)
      return (index, won / max(lost, 1e-3))
    }
    var isTaken = [Bool](repeating: false, count: forest.roots.count)
    var covered = under.sums.bad
    for (index, _) in gains.sorted(by: { ($1.1, $0.0) < ($0.1, $1.0) }) where covered < targets.bad
    {
      isTaken[index] = true
      covered = covered - before[index].sums.bad + after[index].sums.bad
    }
    var result = Solution()
    for index in forest.roots.indices {
      let part = isTaken[index] ? after[index] : before[index]
      result.nodes += isTaken[index] ? over.nodes[part.nodes] : under.nodes[part.nodes]
      result.sums = result.sums + part.sums
    }
    return result
  }

  /// The part of a set in a tree: where its nodes are.
  private struct Part {
    let nodes: Range<Int>
    let sums: RuleSums
  }

  private func byRoot(_ solution: Solution) -> [Part] {
    var end = 0
    return forest.roots.map { root in
      let start = end
      var sums = RuleSums()
      // Both are in the order of addresses, and a node comes before those that hold it.
      while end < solution.nodes.count, solution.nodes[end] <= root {
        sums = sums + RuleSums(forest.nodes[solution.nodes[end]])
        end += 1
      }
      return Part(nodes: start..<end, sums: sums)
    }
  }

  /// A set that covers as much as can be covered, as far as prices find it.
  ///
  /// A price for rules keeps their number within the targets, one for good hits theirs.
  mutating func mostCovering() -> Solution {
    var (low, high) = (0.0, 1e-9)
    var solution = covering(rule: high)
    while solution.sums.rules > targets.rules, high < 1e20 {
      (low, high) = (high, high * 64)
      solution = covering(rule: high)
    }
    for _ in 0..<40 where low > 0 && high - low > 1e-9 * high && solution.sums.rules < targets.rules
    {
      let middle = (low + high) / 2
      let next = covering(rule: middle)
      if next.sums.rules > targets.rules { low = middle } else { (high, solution) = (middle, next) }
    }
    var polish = RulePolish(forest, targets, solution)
    polish.fill()
    return polish.solution
  }

  private mutating func covering(rule: Double) -> Solution {
    var (low, high) = (0.0, 0.0)
    var solution = solve(Prices(rule: rule, bad: 1))
    while solution.sums.good > targets.good, high < 1e20 {
      (low, high) = (high, max(1e-9, high * 16))
      solution = solve(Prices(rule: rule, good: high, bad: 1))
    }
    for _ in 0..<40 where high - low > 1e-9 * high && solution.sums.good < targets.good {
      let middle = (low + high) / 2
      let next = solve(Prices(rule: rule, good: middle, bad: 1))
      if next.sums.good > targets.good { low = middle } else { (high, solution) = (middle, next) }
    }
    return solution
  }

  private mutating func take(_ solution: Solution) {
    let polished = RulePolish(forest, targets, solution).best()
    guard targets.are(metBy: polished.sums) else { return }
    if let best, !polished.sums.isBetter(than: best.sums) { return }
    best = polished
  }
}
