import SondeSQLite

extension BoundValue {
  static func moment(_ moment: Duration) -> BoundValue { .number(moment.inMilliseconds) }

  static func flag(_ flag: Bool) -> BoundValue { .number(flag ? 1 : 0) }

  static func secret(_ secret: Fingerprint) -> BoundValue { .bytes(secret.bytes) }
}

extension Statement {
  /// A moment in a column of the current row, counted from 0.
  func moment(_ column: Int32) -> Duration { .milliseconds(number(column)) }
}

extension Duration {
  var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// The duration without fractions of a millisecond, as moments are stored.
  var toMilliseconds: Duration { .milliseconds(inMilliseconds) }
}
