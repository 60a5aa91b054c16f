/// The exit status of the program.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  /// Some addresses `failed`, no entry was valid, or, with `--strict`, some were invalid.
  case failed = 1
  case usage = 2
  case networkLost = 3
  /// The provider refused permanently.
  case refused = 4
  /// Input could not be read or output not written.
  case inputOutput = 5
  /// SIGHUP.
  case hungUp = 129
  /// SIGINT.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143

  /// The exit status if there are several reasons.
  ///
  /// Those that ended the program early come first, then 5, 4, 3 and 1; without any it is success.
  package static func highest(of reasons: some Sequence<ExitStatus>) -> ExitStatus {
    let order: [ExitStatus] = [
      .interrupted, .terminated, .hungUp, .usage, .inputOutput, .refused, .networkLost, .failed,
    ]
    let reasons = Set(reasons)
    return order.first(where: reasons.contains) ?? .success
  }

  /// The explanation in help; `nil` for signals, which help explains together.
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
