/// The rules that decide which lines are written.
struct LineRules: Sendable {
  /// Whether lines without an address are dropped.
  var onlyMatching = false
  /// The condition of lines; `nil` for none.
  var filter: LineFilter?
  /// Whether nothing is inserted, so that only the filter needs answers.
  var insertsNothing = false
  /// Whether defanged marks are the marks that they stand for.
  var refangs = false

  /// Whether lines without an address are dropped, by either rule.
  var dropsOthers: Bool { onlyMatching || filter != nil }
}
