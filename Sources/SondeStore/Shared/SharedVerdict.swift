import SondeRedis

/// What follows from the failure of a server that machines share: a pure value.
///
/// Redis begins the text of an error with its kind (RESP, "Simple errors"); some kinds pass by
/// themselves, all others last until somebody changes the server or Sonde's settings.
enum SharedVerdict: Equatable {
  /// It refuses for good: a run that begins here ends with it, one that is at work waits as while the
  /// server is gone.
  case refusal
  /// It is gone, or cannot be written to for the moment: whoever needs it waits.
  case absence
  /// It has no room for more; what is small or replaces something may still be written.
  case fullness
  /// A key holds something that is not Sonde's: it counts as absent, and is replaced.
  case foreignValue
  /// It has forgotten its scripts, which are sent again.
  case forgottenScript

  /// Judges a failure.
  init(_ error: RedisError) {
    switch error.kind {
    case .refused: self.init(errorReply: error.words ?? "")
    case .unreachable, .ended: self = .absence
    case .unintelligible, .unusable: self = .refusal
    }
  }

  /// Judges the text of an error reply.
  init(errorReply text: String) {
    let words = text.split(separator: " ")
    if let verdict = words.first.flatMap({ Self.kinds[$0] }) {
      self = verdict
      return
    }
    // Before Redis 7, what a command of a script had failed with stood inside an error of the script:
    // "ERR Error running script (call to f_…): @user_script:5: -OOM command not allowed …".
    if text.hasPrefix("ERR Error running script") {
      let inner = words.lazy.compactMap { Self.kinds[$0.drop { $0 == "-" }] }
      self = inner.first ?? .refusal
      return
    }
    // "ERR max number of clients reached"; with cluster mode, "… clients + cluster connections …".
    self = text.hasPrefix("ERR max number of clients") ? .absence : .refusal
  }

  /// The kinds of errors that do not last, or that Sonde can mend.
  private static let kinds: [Substring: SharedVerdict] = [
    "READONLY": .absence, "LOADING": .absence, "MASTERDOWN": .absence, "CLUSTERDOWN": .absence,
    "TRYAGAIN": .absence, "MISCONF": .absence, "NOREPLICAS": .absence, "BUSY": .absence,
    "OOM": .fullness, "WRONGTYPE": .foreignValue, "NOSCRIPT": .forgottenScript,
  ]
}
