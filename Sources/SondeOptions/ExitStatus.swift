/// The status the program ends with.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  /// Some addresses `failed`, or no entry was valid, or (where it counts) some were not.
  case failed = 1
  /// Wrong usage or configuration.
  case usage = 2
  case networkLost = 3
  /// The provider refused for good.
  case refused = 4
  /// Input or output could not be read or written.
  case inputOutput = 5
  /// SIGHUP.
  case hungUp = 129
  /// SIGINT.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143

  /// The status to end with when there are several reasons.
  ///
  /// What ended the program early comes first, then 5, 4, 3 and 1; no reason is success.
  package static func highest(of reasons: some Sequence<ExitStatus>) -> ExitStatus {
    let order: [ExitStatus] = [
      .interrupted, .terminated, .hungUp, .usage, .inputOutput, .refused, .networkLost, .failed,
    ]
    let reasons = Set(reasons)
    return order.first(where: reasons.contains) ?? .success
  }

  /// What help says of it; `nil` for the signals, which it names together.
  var meaning: String? {
    switch self {
    case .success: "every valid address was answered"
    case .failed:
      "some addresses failed, or not one entry was valid (with --strict: or some were invalid)"
    case .usage: "wrong usage or configuration"
    case .networkLost: "addresses were left without an answer because the network was lost"
    case .refused: "the provider refused for good: bad key, banned, quota of the day spent"
    case .inputOutput: "an input or output could not be read or written"
    case .hungUp, .interrupted, .terminated: nil
    }
  }
}
