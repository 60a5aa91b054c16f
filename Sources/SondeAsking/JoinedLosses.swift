import SondeReachability

/// Decides which losses of the network to report if several paths are watched: a pure value.
///
/// Paths that are lost together count as one loss, and the report of one of them suffices. A path
/// that remains lost for a while after the other is back is reported then.
struct JoinedLosses: Sendable {
  /// The result of a transition.
  struct Reply {
    var told: NetworkTransition?
    /// Whether to call ``remind()`` after ``JoinedLosses/grace``.
    var isReminderDue = false
  }

  /// By how much the return of one path may be detected later than another's, since attempts are at
  /// growing intervals.
  static let grace = Duration.seconds(6)

  /// What is lost: a path, or another requirement of all paths.
  private enum Place: Hashable {
    case path(String)
    case ledger
  }

  /// The latest transition of each lost place, and the number of paths concerned.
  private var lost: [Place: (transition: NetworkTransition, paths: Int)] = [:]
  /// The place whose loss was reported, and whose return will be.
  private var told: Place?

  /// Handles a transition of one path's monitor.
  mutating func take(_ transition: NetworkTransition) -> Reply {
    let former = Self.place(of: transition.previous, transition)
    if let former { release(former) }
    guard let place = Self.place(of: transition.verdict, transition) else {
      guard former == told, told != nil else { return Reply() }
      told = nil
      return Reply(told: transition, isReminderDue: !lost.isEmpty)
    }
    lost[place] = (transition, (lost[place]?.paths ?? 0) + 1)
    // A loss with another cause is reported again.
    guard told == nil || told == former else { return Reply() }
    told = place
    return Reply(told: transition)
  }

  /// Reports a loss that lasts longer than another one that is over.
  mutating func remind() -> Reply {
    let first = lost.min { $0.value.transition.began.steady < $1.value.transition.began.steady }
    guard told == nil, let first else { return Reply() }
    told = first.key
    return Reply(told: first.value.transition)
  }

  private mutating func release(_ place: Place) {
    guard let known = lost[place] else { return }
    lost[place] = known.paths > 1 ? (known.transition, known.paths - 1) : nil
  }

  /// The place whose loss a verdict reports; `nil` for none.
  private static func place(of verdict: Verdict?, _ transition: NetworkTransition) -> Place? {
    switch verdict {
    case nil, .online, .degraded: nil
    case .offline(.sharedUnreachable): .ledger
    case .offline: .path(transition.endpoint)
    }
  }
}
