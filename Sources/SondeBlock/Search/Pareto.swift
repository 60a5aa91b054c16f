/// The pairs of choices that are worth having.
struct Pareto {
  /// A pair.
  struct Pair {
    let sums: RuleSums
    let left: Int32
    let right: Int32
  }

  private let targets: RuleTargets
  /// What is worth having, by rules, then good hits.
  private(set) var kept: [Pair] = []

  init(_ targets: RuleTargets) { self.targets = targets }

  /// Pairs the choices of two parts, both in the order of rules, then good hits.
  mutating func combine(_ ones: [RuleSums], _ others: [RuleSums]) {
    let (oneGroups, otherGroups) = (Self.groups(ones), Self.groups(others))
    let most = min(targets.rules, oneGroups.count + otherGroups.count - 2)
    // The best so far with fewer rules, by good hits, rising in what they cover.
    var stairs: [RuleSums] = []
    for rules in 0...max(0, most) {
      let splits = oneGroups.indices.compactMap { count -> (Range<Int>, Range<Int>)? in
        guard otherGroups.indices.contains(rules - count) else { return nil }
        return (oneGroups[count], otherGroups[rules - count])
      }
      var pairs: [Pair] = []
      let count = splits.reduce(0) { $0 + $1.0.count * $1.1.count }
      if targets.good < UInt64(min(count / 4, 1 << 16)) {
        pairs = bestByGood(ones, others, splits)
      } else {
        pairs.reserveCapacity(count)
        for (first, second) in splits { pair(ones, first, others, second) { pairs.append($0) } }
        pairs.sort {
          $0.sums.good == $1.sums.good
            ? $0.sums.coversMore(than: $1.sums) : $0.sums.good < $1.sums.good
        }
      }
      keep(pairs, &stairs)
    }
  }

  /// The choices with each number of rules.
  private static func groups(_ choices: [RuleSums]) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    for (index, sums) in choices.enumerated() {
      while groups.count < sums.rules { groups.append(index..<index) }
      if groups.count == sums.rules {
        groups.append(index..<index + 1)
      } else {
        groups[sums.rules] = groups[sums.rules].lowerBound..<index + 1
      }
    }
    return groups
  }

  private func pair(
    _ ones: [RuleSums],
    _ first: Range<Int>,
    _ others: [RuleSums],
    _ second: Range<Int>,
    _ take: (Pair) -> Void
  ) {
    for one in first {
      for other in second {
        // They come with ever more good hits.
        guard ones[one].good + others[other].good <= targets.good else { break }
        let sums = ones[one] + others[other]
        take(Pair(sums: sums, left: Int32(one), right: Int32(other)))
      }
    }
  }

  /// The pair that covers most for each number of good hits, where there are many pairs for each.
  private func bestByGood(
    _ ones: [RuleSums],
    _ others: [RuleSums],
    _ splits: [(Range<Int>, Range<Int>)]
  ) -> [Pair] {
    var best = [Pair?](repeating: nil, count: Int(targets.good) + 1)
    for (first, second) in splits {
      pair(ones, first, others, second) { pair in
        let good = Int(pair.sums.good)
        if best[good].map({ pair.sums.coversMore(than: $0.sums) }) ?? true { best[good] = pair }
      }
    }
    return best.compactMap(\.self)
  }

  /// Keeps those of the pairs with some number of rules, by good hits, that cover more than any with at most as many
  /// rules and good hits.
  private mutating func keep(_ pairs: [Pair], _ stairs: inout [RuleSums]) {
    var merged: [RuleSums] = []
    var (step, best): (Int, RuleSums?) = (0, nil)
    for pair in pairs {
      while step < stairs.count, stairs[step].good <= pair.sums.good {
        Self.raise(&best, stairs[step], &merged)
        step += 1
      }
      if Self.raise(&best, pair.sums, &merged) { kept.append(pair) }
    }
    for sums in stairs[step...] { Self.raise(&best, sums, &merged) }
    stairs = merged
  }

  @discardableResult
  private static func raise(_ best: inout RuleSums?, _ sums: RuleSums, _ stairs: inout [RuleSums])
    -> Bool
  {
    if let best, !sums.coversMore(than: best) { return false }
    best = sums
    stairs.append(sums)
    return true
  }
}
