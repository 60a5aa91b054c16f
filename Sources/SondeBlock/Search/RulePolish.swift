/// Small changes of a set that save rules.
struct RulePolish {
  private let forest: RuleForest
  private let targets: RuleTargets
  /// Of each node, whether it is a rule.
  private var isChosen: [Bool]
  private var sums: RuleSums

  init(_ forest: RuleForest, _ targets: RuleTargets, _ solution: RuleRelaxation.Solution) {
    (self.forest, self.targets) = (forest, targets)
    isChosen = [Bool](repeating: false, count: forest.nodes.count)
    for node in solution.nodes { isChosen[node] = true }
    sums = solution.sums
  }

  /// The set after all changes that help.
  consuming func best() -> RuleRelaxation.Solution {
    widen()
    drop()
    return solution
  }

  /// Takes prefixes in place of several rules within them, as far as good hits may be touched.
  private mutating func widen() {
    guard sums.good < targets.good else { return }
    var inside = [(rules: Int, good: UInt64)](repeating: (0, 0), count: forest.nodes.count)
    var candidates: [(node: Int, price: Double)] = []
    for (index, node) in forest.nodes.enumerated() where node.isAllowed {
      if isChosen[index] {
        inside[index] = (1, node.good)
      } else if let (left, right) = node.halves {
        inside[index].rules = inside[left].rules + inside[right].rules
        inside[index].good = inside[left].good + inside[right].good
        if inside[index].rules > 1 {
          let more = Double(node.good - inside[index].good)
          candidates.append((index, more / Double(inside[index].rules - 1)))
        }
      }
    }
    candidates.sort { ($0.price, $0.node) < ($1.price, $1.node) }
    for (index, _) in candidates { replace(index) }
  }

  private mutating func replace(_ index: Int) {
    let node = forest.nodes[index]
    var (within, open, rules) = (RuleSums(), [index], [Int]())
    while let next = open.popLast() {
      if isChosen[next] {
        rules.append(next)
        within = within + RuleSums(forest.nodes[next])
      } else if let (left, right) = forest.nodes[next].halves {
        open += [left, right]
      }
    }
    // Fewer than two: it lies in another one that was taken.
    guard rules.count > 1, node.good - within.good <= targets.good - sums.good else { return }
    for rule in rules { isChosen[rule] = false }
    isChosen[index] = true
    sums = sums - within + RuleSums(node)
  }

  /// Leaves out rules that are not needed, those with the fewest bad hits first.
  private mutating func drop() {
    let spare = sums.bad - min(sums.bad, targets.bad)
    let small = forest.nodes.indices.filter { isChosen[$0] && forest.nodes[$0].bad <= spare }
    for index in small.sorted(by: { (forest.nodes[$0].bad, $0) < (forest.nodes[$1].bad, $1) }) {
      let rule = RuleSums(forest.nodes[index])
      guard sums.bad - targets.bad >= rule.bad else { break }
      isChosen[index] = false
      sums = sums - rule
    }
  }

  /// Adds the prefixes that cover most, as far as rules and good hits may be added.
  mutating func fill() {
    var isTaken = [Bool](repeating: false, count: forest.nodes.count)
    // Nothing above or below a rule.
    for (index, node) in forest.nodes.enumerated() {
      let areTaken = node.halves.map { isTaken[$0.0] || isTaken[$0.1] } ?? false
      isTaken[index] = areTaken || isChosen[index]
    }
    for index in forest.nodes.indices.reversed() where isChosen[index] {
      mark(below: index, &isTaken)
    }
    let free = forest.nodes.indices.filter { !isTaken[$0] && forest.nodes[$0].isAllowed }
    let order = free.sorted {
      (forest.nodes[$1].bad, $0) < (forest.nodes[$0].bad, $1)
    }
    for index in order where !isTaken[index] && sums.rules < targets.rules {
      let rule = RuleSums(forest.nodes[index])
      guard rule.good <= targets.good - min(targets.good, sums.good), !hasRule(below: index) else {
        continue
      }
      isChosen[index] = true
      sums = sums + rule
      mark(below: index, &isTaken)
    }
  }

  private func mark(below index: Int, _ isTaken: inout [Bool]) {
    var open = [index]
    while let next = open.popLast() {
      isTaken[next] = true
      if let (left, right) = forest.nodes[next].halves { open += [left, right] }
    }
  }

  private func hasRule(below index: Int) -> Bool {
    var open = [index]
    while let next = open.popLast() {
      if isChosen[next] { return true }
      if let (left, right) = forest.nodes[next].halves { open += [left, right] }
    }
    return false
  }

  /// The set.
  var solution: RuleRelaxation.Solution {
    RuleRelaxation.Solution(nodes: isChosen.indices.filter { isChosen[$0] }, sums: sums)
  }
}
