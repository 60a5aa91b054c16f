/// The remaining steps of a database's statements.
final class StepLimit {
  /// The number of steps between two checks.
  static let stride: Int32 = 1_000
  var left: Int

  init(_ count: Int) { left = count }

  /// Counts the steps since the last check; a result other than 0 ends the statement.
  func pass() -> Int32 {
    left -= Int(Self.stride)
    return left < 0 ? 1 : 0
  }
}
