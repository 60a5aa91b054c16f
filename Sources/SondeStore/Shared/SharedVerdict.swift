import SondeRedis

/// The consequence of a shared server's error: a pure value.
///
/// Redis begins the text of an error with its kind (RESP, "Simple errors"); some kinds are
/// temporary, all others last until the server's or Sonde's settings are changed.
enum SharedVerdict: Equatable {
  /// It refuses permanently: a run that starts now fails, a running one waits as during an outage.
  case refusal
  /// It is unavailable, or temporarily not writable: requests wait.
  case absence
  /// It has no space; small data or replacements may still be written.
  case fullness
  /// A key has a value that is not Sonde's; it counts as missing and is replaced.
  case foreignValue
  /// It has no scripts any more; they are sent again.
  case forgottenScript
  /// Another node of its cluster has the keys.
  case moved(SharedRedirect)
  /// Another node of its cluster may already have the keys, and is asked this once.
  case asked(SharedRedirect)

  init(_ error: RedisError) {
    switch error.kind {
    case .refused: self.init(errorReply: error.words ?? "")
    case .unreachable, .ended: self = .absence
    case .unintelligible, .untrusted, .unusable: self = .refusal
    }
  }

  init(errorReply text: String) {
    let words = text.split(separator: " ")
    if let verdict = words.first.flatMap({ Self.kinds[$0] }) {
      self = verdict
      return
    }
    if let redirect = SharedRedirect(words) {
      self = redirect.isOnce ? .asked(redirect) : .moved(redirect)
      return
    }
    // Before Redis 7, an error of a command in a script was embedded in an error of the script:
    // "ERR Error running script (call to f_…): @user_script:5: -OOM command not allowed …".
    if text.hasPrefix("ERR Error running script") {
      let inner = words.lazy.compactMap { Self.kinds[$0.drop { $0 == "-" }] }
      self = inner.first ?? .refusal
      return
    }
    // "ERR max number of clients reached"; with cluster mode, "… clients + cluster connections …".
    self = text.hasPrefix("ERR max number of clients") ? .absence : .refusal
  }

  /// The kinds of errors that are temporary, or that Sonde can fix.
  private static let kinds: [Substring: SharedVerdict] = [
    "READONLY": .absence, "LOADING": .absence, "MASTERDOWN": .absence, "CLUSTERDOWN": .absence,
    "TRYAGAIN": .absence, "MISCONF": .absence, "NOREPLICAS": .absence, "BUSY": .absence,
    "OOM": .fullness, "WRONGTYPE": .foreignValue, "NOSCRIPT": .forgottenScript,
  ]
}
