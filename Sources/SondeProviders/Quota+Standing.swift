extension Quota {
  /// How a quota stands, for a person.
  public struct Standing: Sendable, Equatable {
    /// Why requests go out or do not.
    public enum Reason: Sendable, Equatable {
      /// The provider said that the quota of a day or month is spent.
      case spentForPeriod
      /// The provider turned a request down.
      case refused
      /// A wait is over, and one request alone asks whether the provider answers again.
      case probing
      /// Answers have stated how many requests are left.
      case told
      /// Requests are counted here, since no answer tells.
      case counted
      /// One request is under way that opens a window.
      case opening
      /// No window is open.
      case closed
    }

    /// Why it is so.
    public let reason: Reason
    /// Requests that are spent, or may be; `nil` where there is no window.
    public let used: Int?
    /// Requests that may go out; `nil` where nobody knows.
    public let left: Int?
    /// When that ends; `nil` where nothing is waited for.
    public let end: Duration?
  }

  /// Whether nothing is known but what everybody begins with.
  public var isBlank: Bool {
    !isLearnt && phase == .closed && pausedUntil == nil && underWay == 0 && lost == 0
  }

  /// How it stands at a moment.
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
      return Standing(
        reason: isTold ? .told : .counted,
        used: used,
        left: left,
        end: end.latest
      )
    case .opening: return Standing(reason: .opening, used: underWay + lost, left: nil, end: nil)
    case .open, .closed: return Standing(reason: .closed, used: nil, left: nil, end: nil)
    }
  }
}
