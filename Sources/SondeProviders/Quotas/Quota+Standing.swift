extension Quota {
  /// The state of a quota, for people.
  public struct Standing: Sendable, Equatable {
    /// The reason why requests may be sent or not.
    public enum Reason: Sendable, Equatable {
      /// The provider reported that the quota of a day or month is spent.
      case spentForPeriod
      /// The provider refused a request.
      case refused
      /// A wait is over, and a single request checks whether the provider answers again.
      case probing
      /// Answers have stated the number of requests left.
      case told
      /// Requests are counted locally, since answers state nothing.
      case counted
      /// The request that opens a window is running.
      case opening
      /// No window is open.
      case closed
    }

    /// The reason.
    public let reason: Reason
    /// Requests that are or may be spent; `nil` without a window.
    public let used: Int?
    /// Requests that may be sent; `nil` if unknown.
    public let left: Int?
    /// When this state ends; `nil` if there is no wait.
    public let end: Duration?
  }

  /// Whether nothing is known beyond the initial state.
  public var isBlank: Bool {
    !isLearnt && phase == .closed && pausedUntil == nil && underWay == 0 && lost == 0
  }

  /// The state at a moment.
  public func standing(at now: Duration) -> Standing {
    if let pausedUntil, now < pausedUntil {
      let reason: Standing.Reason = isSpentForPeriod ? .spentForPeriod : .refused
      return Standing(reason: reason, used: nil, left: 0, end: pausedUntil)
    }
    if pausedUntil != nil, allowance == nil {
      return Standing(reason: .probing, used: nil, left: nil, end: nil)
    }
    switch phase {
    case .open(let end) where now < end.latest:
      let left = remaining ?? 0
      let used = max(0, (allowance?.requests ?? left) - left)
      return Standing(reason: isTold ? .told : .counted, used: used, left: left, end: end.latest)
    case .opening: return Standing(reason: .opening, used: underWay + lost, left: nil, end: nil)
    case .open, .closed: return Standing(reason: .closed, used: nil, left: nil, end: nil)
    }
  }
}
