/// The exact search: all choices worth having, by dynamic programming.
///
/// A choice of rules within some trees is worth having if no other one has at most its rules and good
/// hits and covers at least as much (``RuleSums/coversMore(than:)``): whatever is chosen elsewhere, the
/// other one would do at least as well. All four numbers are sums over disjoint rules, and the order by
/// bad hits, then span, survives the addition of equal parts, so that for each number of rules and good
/// hits one choice is enough. Two disjoint parts are combined by all pairs of theirs.
///
/// With n bad addresses and g good hits allowed there are at most n · (g + 1) choices at a time, and
/// their pairs, summed over the whole balanced tree of combinations, are at most as many as the square
/// of that.
struct RuleFronts {
  /// A choice.
  private struct Choice {
    let sums: RuleSums
    /// The choices of both parts; of a single prefix: whether it is a rule.
    let left: Int32
    let right: Int32
  }

  /// The choices within some trees.
  private struct Front {
    var choices: [Choice]
    /// What they are made of: a prefix and two parts, which are -1 for none.
    let node: Int32
    let left: Int32
    let right: Int32
  }

  private let forest: RuleForest
  private let targets: RuleTargets
  /// All fronts, each behind its parts.
  private var fronts: [Front] = []
  private let mostPairs: Int
  private var pairs = 0

  /// Prepares the search; `mostPairs` is how many pairs it may look at.
  init(_ forest: RuleForest, _ targets: RuleTargets, mostPairs: Int = .max) {
    (self.forest, self.targets, self.mostPairs) = (forest, targets, mostPairs)
  }

  /// The best set of rules, as indices of the forest's nodes, and its sums.
  ///
  /// If no set meets the targets, it is the one that covers most. `nil` if the search is too long.
  mutating func best() -> (nodes: [Int], sums: RuleSums)? {
    var level: [Int32] = []
    for root in forest.roots {
      guard let front = front(ofTree: root) else { return nil }
      level.append(front)
    }
    guard !level.isEmpty else { return ([], RuleSums()) }
    while level.count > 1 {
      var next: [Int32] = []
      for index in stride(from: 0, to: level.count, by: 2) {
        if index + 1 == level.count {
          next.append(level[index])
        } else {
          guard let both = combine(level[index], level[index + 1], node: nil) else { return nil }
          next.append(both)
        }
      }
      level = next
    }
    return chosen(level[0])
  }

  private func chosen(_ top: Int32) -> (nodes: [Int], sums: RuleSums) {
    let choices = fronts[Int(top)].choices
    var best = 0
    for index in choices.indices.dropFirst() {
      let (sums, other) = (choices[index].sums, choices[best].sums)
      let isBetter =
        switch (targets.are(metBy: sums), targets.are(metBy: other)) {
        case (true, true): sums.isBetter(than: other)
        case (true, false): true
        case (false, true): false
        case (false, false): sums.coversBetter(than: other)
        }
      if isBetter { best = index }
    }
    return (nodes(of: top, Int32(best)), choices[best].sums)
  }

  /// The rules of a choice.
  private func nodes(of front: Int32, _ choice: Int32) -> [Int] {
    var (nodes, open): ([Int], [(Int32, Int32)]) = ([], [(front, choice)])
    while let (index, number) = open.popLast() {
      let front = fronts[Int(index)]
      let choice = front.choices[Int(number)]
      if choice.left < 0 {
        if choice.right > 0 { nodes.append(Int(front.node)) }
        continue
      }
      open.append((front.left, choice.left))
      open.append((front.right, choice.right))
    }
    return nodes
  }

  /// The choices within a tree.
  private mutating func front(ofTree root: Int) -> Int32? {
    // Children come before their parents, so that a walk in order finds theirs.
    var found: [Int: Int32] = [:]
    var (order, open) = ([Int](), [root])
    while let index = open.popLast() {
      order.append(index)
      if let (left, right) = forest.nodes[index].halves { open += [left, right] }
    }
    for index in order.reversed() {
      if let (left, right) = forest.nodes[index].halves {
        guard
          let (one, two) = pair(found.removeValue(forKey: left), found.removeValue(forKey: right)),
          let both = combine(one, two, node: index)
        else { return nil }
        found[index] = both
      } else {
        let none = Choice(sums: RuleSums(), left: -1, right: 0)
        var choices = [none]
        add(index, to: &choices)
        fronts.append(Front(choices: choices, node: Int32(index), left: -1, right: -1))
        found[index] = Int32(fronts.count - 1)
      }
    }
    return found[root]
  }

  private func pair(_ left: Int32?, _ right: Int32?) -> (Int32, Int32)? {
    guard let left, let right else { return nil }
    return (left, right)
  }

  /// Adds the choice of a prefix itself.
  private func add(_ node: Int, to choices: inout [Choice]) {
    let sums = RuleSums(forest.nodes[node])
    guard targets.areKept(by: sums) else { return }
    let isWorse = choices.contains {
      $0.sums.rules <= 1 && $0.sums.good <= sums.good && !sums.coversMore(than: $0.sums)
    }
    if isWorse { return }
    choices.removeAll {
      $0.sums.rules >= 1 && $0.sums.good >= sums.good && !$0.sums.coversMore(than: sums)
    }
    choices.append(Choice(sums: sums, left: -1, right: 1))
    choices.sort { ($0.sums.rules, $0.sums.good) < ($1.sums.rules, $1.sums.good) }
  }

  /// The choices of two parts together, and of the prefix that has both; `nil` if these are too many.
  private mutating func combine(_ left: Int32, _ right: Int32, node: Int?) -> Int32? {
    let (ones, others) = (fronts[Int(left)].choices, fronts[Int(right)].choices)
    pairs += ones.count * others.count
    guard pairs <= mostPairs else { return nil }
    var choices = Pareto(targets)
    choices.combine(ones.map(\.sums), others.map(\.sums))
    var made = choices.kept.map { Choice(sums: $0.sums, left: $0.left, right: $0.right) }
    if let node { add(node, to: &made) }
    fronts.append(Front(choices: made, node: Int32(node ?? -1), left: left, right: right))
    return Int32(fronts.count - 1)
  }
}
