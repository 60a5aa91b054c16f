/// How much longer the statements of a database may run.
final class StepLimit {
  /// The steps of SQLite's machine between two looks at it.
  static let stride: Int32 = 1_000

  /// The steps that are left.
  var left: Int

  init(_ count: Int) { left = count }

  /// Counts the steps since the last look; other than 0 ends the statement.
  func pass() -> Int32 {
    left -= Int(Self.stride)
    return left < 0 ? 1 : 0
  }
}
