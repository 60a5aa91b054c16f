import SondeReachability

/// Which losses of the network are told where several paths are watched: a pure value.
///
/// Paths that are lost together are one loss, and what one of them tells is enough. One that is still
/// lost when the other is back for a while is told then.
struct JoinedLosses: Sendable {
  /// What is to be told.
  struct Reply {
    var told: NetworkTransition?
    /// Whether ``remind()`` is to be called after ``JoinedLosses/grace``.
    var isReminderDue = false
  }

  /// How much later than one path another is seen to return: it is looked for at growing intervals.
  static let grace = Duration.seconds(6)

  /// What is lost: a path, or what all paths need besides.
  private enum Place: Hashable {
    case path(String)
    case ledger
  }

  /// The latest of the transitions to each place's loss, and how many paths it concerns.
  private var lost: [Place: (transition: NetworkTransition, paths: Int)] = [:]
  /// The place whose loss was told and whose return will be.
  private var told: Place?

  /// Takes what one path's monitor tells.
  mutating func take(_ transition: NetworkTransition) -> Reply {
    let former = Self.place(of: transition.previous, transition)
    if let former { release(former) }
    guard let place = Self.place(of: transition.verdict, transition) else {
      guard former == told, told != nil else { return Reply() }
      told = nil
      return Reply(told: transition, isReminderDue: !lost.isEmpty)
    }
    lost[place] = (transition, (lost[place]?.paths ?? 0) + 1)
    // One that is lost in another way is told of again.
    guard told == nil || told == former else { return Reply() }
    told = place
    return Reply(told: transition)
  }

  /// Tells of what is lost for longer than another loss that is over.
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

  /// What a verdict says is lost; `nil` for nothing.
  private static func place(of verdict: Verdict?, _ transition: NetworkTransition) -> Place? {
    switch verdict {
    case nil, .online: nil
    case .offline(.sharedUnreachable): .ledger
    case .offline: .path(transition.endpoint)
    }
  }
}
