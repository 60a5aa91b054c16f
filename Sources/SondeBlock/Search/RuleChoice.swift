/// The sums of a set of rules, by which sets are compared.
struct RuleSums: Hashable, Sendable {
  var rules = 0
  var good: UInt64 = 0
  var bad: UInt64 = 0
  var span = RuleSpan()

  init() {}

  init(_ node: RuleForest.Node) {
    (rules, good, bad, span) = (1, node.good, node.bad, node.span)
  }

  static func + (left: RuleSums, right: RuleSums) -> RuleSums {
    var sum = left
    sum.rules += right.rules
    sum.good += right.good
    sum.bad += right.bad
    sum.span = left.span + right.span
    return sum
  }

  static func - (left: RuleSums, right: RuleSums) -> RuleSums {
    var rest = left
    rest.rules -= right.rules
    rest.good -= right.good
    rest.bad -= right.bad
    rest.span.ipv4 &-= right.span.ipv4
    rest.span.ipv6 &-= right.span.ipv6
    return rest
  }

  /// Whether these cover more, or as much with fewer addresses.
  func coversMore(than other: RuleSums) -> Bool {
    bad == other.bad ? span < other.span : bad > other.bad
  }

  /// Whether a set with these sums is better than another one, of which both are within all limits:
  /// the fewest rules, the fewest good hits, the most bad hits, the smallest span.
  func isBetter(than other: RuleSums) -> Bool {
    if rules != other.rules { return rules < other.rules }
    if good != other.good { return good < other.good }
    return coversMore(than: other)
  }

  /// Whether a set is better than another one, where neither covers enough: the most bad hits first.
  func coversBetter(than other: RuleSums) -> Bool {
    bad == other.bad ? isBetter(than: other) : bad > other.bad
  }
}

/// What a set of rules must be within, in whole hits.
struct RuleTargets: Sendable {
  /// The fewest bad hits to cover.
  let bad: UInt64
  /// The most good hits to touch.
  let good: UInt64
  /// The most rules.
  let rules: Int

  func are(metBy sums: RuleSums) -> Bool { sums.bad >= bad && areKept(by: sums) }

  /// Whether sums are within the limits that hold in any case.
  func areKept(by sums: RuleSums) -> Bool { sums.good <= good && sums.rules <= rules }
}
