/// The information about the quota in an answer's headers.
public struct QuotaNotice: Sendable, Equatable {
  /// Requests left in the window when the provider received the request (ip-api's `X-Rl`).
  public var remaining: Int?

  /// Time until the window ends, rounded up to whole seconds by the provider (`X-Ttl`).
  public var resetsIn: Duration?

  /// How long to send nothing (`Retry-After`, RFC 9110 §10.2.3).
  public var retryAfter: Duration?

  /// Whether ``retryAfter`` is the rest of a day or month whose quota is spent.
  ///
  /// It is not waited for, however short, since the time zone of the day is not published.
  public var isSpentForPeriod = false

  /// Whether the provider refused the request because of too many (429, or an empty 200).
  public var isThrottled = false

  /// Whether the provider answered the question.
  public var isAnswer = false

  /// Creates an empty notice.
  public init() {}
}

/// The quota of a provider: fixed windows whose limit and end only the provider knows for certain.
///
/// It starts with the published limit; the answers' headers correct it. Until the first answer of a
/// window arrives, one request is sent; then as many as the lowest remaining count permits. The
/// time is passed as the distance from any fixed moment.
public struct Quota: Sendable {
  /// The decision about the next request.
  public enum Decision: Equatable, Sendable {
    /// Send it, and settle the ticket afterwards.
    case send(Ticket)
    /// Wait until a moment, because the window is spent, or the provider requested it.
    case wait(until: Duration)
    /// Wait until the end of a day or month whose quota is spent.
    case spent(until: Duration)
    /// Ask again when a pending answer arrives, or at this moment if there is one.
    case waitForAnswer(until: Duration?)
  }

  /// A pending request and its window.
  public struct Ticket: Equatable, Sendable {
    let window: Int
    let sent: Duration
    /// The number of requests left by then, if a header stated it.
    let left: Int?

    /// A copy with the sending time limited to a moment.
    func sent(by moment: Duration) -> Ticket {
      Ticket(window: window, sent: min(sent, moment), left: left)
    }
  }

  /// The outcome of a request for the quota.
  public enum Outcome: Equatable, Sendable {
    /// An answer arrived.
    case answered(QuotaNotice)
    /// The request was abandoned; the provider may have counted it.
    case lost
    /// No part of the request reached the provider.
    case notSent

    /// Whether it has no effect without a limit.
    public var tellsOfNoLimit: Bool {
      guard case .answered(let notice) = self else { return true }
      return !notice.isThrottled && notice.retryAfter == nil && notice.remaining == nil
    }
  }

  enum Phase: Equatable {
    /// No window is open; the next request opens one.
    case closed
    /// The request that opens the window is pending.
    case opening
    /// Answers have stated the end of the window.
    case open(WindowEnd)
  }

  /// The highest count accepted from a header.
  private static let most = 1_000_000_000

  /// How long a request may take to arrive.
  ///
  /// One that is abandoned earlier, such as that of a killed process, may count in the window after
  /// its own.
  static let longestWay = Duration.seconds(2)

  /// The published or measured limit; `nil` if there is none.
  public internal(set) var allowance: Allowance?

  /// Whether the limit applies even if answers contain no quota information.
  let isFirm: Bool

  /// Whether the limit applies to any period of a window's length.
  let isRolling: Bool
  let believableWait: BelievableWait

  /// Whether ``allowance`` was learnt from answers.
  var isLearnt = false

  /// The highest limit and the longest rest of a window shown by first answers.
  ///
  /// A window opened by another client or by the clock shows less than the full amount.
  var shown: Allowance?

  var phase = Phase.closed
  var window = 0
  /// The number of requests left when the latest answered one was received.
  var left = 0
  /// Whether ``left`` is from a header of this window; otherwise it is a local count.
  var isTold = false
  /// The number of pending requests of all windows.
  var underWay = 0
  /// The number of requests of this window that the provider may have counted or not.
  var lost = 0
  /// When lost requests that may count in the next window certainly belong to an earlier one.
  var lostUntil = Duration.zero
  /// Until when nothing may be sent.
  ///
  /// Without a known limit, it is kept after its end until a request that was sent alone is
  /// answered.
  var pausedUntil: Duration?
  /// Whether ``pausedUntil`` ends a day or month whose quota is spent.
  var isSpentForPeriod = false

  /// Creates a quota with a published limit or none.
  ///
  /// - Parameters:
  ///   - allowance: The limit until an answer states another.
  ///   - isFirm: Whether the limit applies even if answers contain no quota information; `false`
  ///     for a mirror, which need not have the limit of the original service.
  ///   - isRolling: Whether the limit applies to any period of a window's length; then the next
  ///     window begins that long after the last answer of this one.
  ///   - believableWait: The longest wait accepted from the provider, and from a ledger.
  public init(
    allowance: Allowance?,
    isFirm: Bool = true,
    isRolling: Bool = false,
    believing believableWait: BelievableWait = .untilNext(.month)
  ) {
    (self.allowance, self.isFirm, self.isRolling) = (allowance, isFirm, isRolling)
    self.believableWait = believableWait
  }

  /// The number of requests that may be sent before any pending answer, if a window is open.
  public var remaining: Int? {
    guard case .open = phase, allowance != nil else { return nil }
    return max(0, left - underWay - lost)
  }

  /// The rest of a window.
  public struct Rest: Sendable, Equatable {
    /// The number of requests left.
    public let requests: Int

    /// The time until there are more.
    public let length: Duration

    /// Creates a rest.
    public init(requests: Int, length: Duration) {
      (self.requests, self.length) = (requests, length)
    }
  }

  /// The rest at a moment; `nil` if the next request opens a window.
  public func rest(at now: Duration) -> Rest? {
    if let pausedUntil, now < pausedUntil { return Rest(requests: 0, length: pausedUntil - now) }
    guard let remaining, case .open(let end) = phase, now < end.latest else { return nil }
    return Rest(requests: remaining, length: end.latest - now)
  }

  /// Reserves one request, or returns what to wait for.
  public mutating func reserve(now: Duration) -> Decision {
    if let pausedUntil, now < pausedUntil {
      return isSpentForPeriod ? .spent(until: pausedUntil) : .wait(until: pausedUntil)
    }
    isSpentForPeriod = false
    guard let allowance else { return reserveWithoutLimit(at: now) }
    pausedUntil = nil
    if case .open(let end) = phase, now >= end.latest { close(now: now) }
    switch phase {
    case .closed:
      if now >= lostUntil { lost = 0 }
      // Pending requests may count in the next window, too.
      guard lost == 0 || lost + underWay < allowance.requests else {
        return underWay > 0 ? .waitForAnswer(until: lostUntil) : .wait(until: lostUntil)
      }
      phase = .opening
      return send(at: now)
    case .opening: return .waitForAnswer(until: nil)
    case .open(let end):
      if left - underWay - lost > 0 { return send(at: now) }
      let answerMayTell = underWay > 0 && left - lost > 0
      return answerMayTell ? .waitForAnswer(until: end.latest) : .wait(until: end.latest)
    }
  }

  /// Settles a ticket and learns from the outcome of its request.
  public mutating func settle(_ ticket: Ticket, _ outcome: Outcome, now: Duration) {
    underWay -= 1
    let isCurrent = ticket.window == window
    switch outcome {
    case .notSent:
      if isCurrent, phase == .opening { phase = .closed }
    case .lost:
      giveUp(ticket, countedBy: max(now, ticket.sent + Self.longestWay))
    case .answered(let notice):
      if notice.isThrottled {
        throttle(notice, now: now)
      } else {
        if isCurrent, notice.isAnswer { endPause(now: now) }
        if let pause = notice.retryAfter { self.pause(until: now + pause) }
        learn(notice, from: ticket, now: now)
      }
    }
  }

  /// Counts a request as pending that was sent without a reservation.
  mutating func adopt() { underWay += 1 }

  /// A ticket that is not counted, if any number of requests may be sent at once.
  public func uncountedTicket(now: Duration) -> Ticket? {
    guard allowance == nil, pausedUntil == nil else { return nil }
    return Ticket(window: window, sent: now, left: nil)
  }

  /// Stops sending until a moment.
  public mutating func pause(until moment: Duration) {
    pausedUntil = max(pausedUntil ?? moment, moment)
  }

  private mutating func send(at now: Duration) -> Decision {
    underWay += 1
    return .send(Ticket(window: window, sent: now, left: isTold ? left : nil))
  }

  /// After a pause reserves a single request, otherwise any number.
  private mutating func reserveWithoutLimit(at now: Duration) -> Decision {
    guard pausedUntil != nil else { return send(at: now) }
    guard phase == .closed else { return .waitForAnswer(until: nil) }
    phase = .opening
    return send(at: now)
  }

  /// Ends a pause after the provider has answered again.
  private mutating func endPause(now: Duration) {
    guard allowance == nil, let end = pausedUntil, now >= end else { return }
    (pausedUntil, phase) = (nil, .closed)
  }

  private mutating func close(now: Duration) {
    phase = .closed
    window += 1
    isTold = false
    if now >= lostUntil { lost = 0 }
  }

  private mutating func open(left: Int, _ end: WindowEnd) {
    phase = .open(end)
    self.left = left
  }

  /// Counts a request as lost; if the provider counted it, then by a certain moment.
  private mutating func giveUp(_ ticket: Ticket, countedBy moment: Duration) {
    let isCurrent = ticket.window == window
    guard let allowance else {
      if isCurrent { phase = .closed }
      return
    }
    lost += 1
    // Requests sent without a limit belong to no window.
    if phase != .closed || !isCurrent { lostUntil = max(lostUntil, moment) }
    if isCurrent { roll(allowance, now: moment) }
    guard isCurrent, phase == .opening else { return }
    phase = .closed
    lostUntil = max(lostUntil, moment + allowance.period)
  }

  private mutating func throttle(_ notice: QuotaNotice, now: Duration) {
    let told = notice.retryAfter ?? notice.resetsIn ?? .zero
    pause(until: now + max(told, .seconds(1)))
    if notice.isSpentForPeriod { isSpentForPeriod = true }
    close(now: now)
  }

  private mutating func learn(_ notice: QuotaNotice, from ticket: Ticket, now: Duration) {
    if !isFirm, !isTold, notice.isAnswer, notice.remaining == nil {
      (allowance, isLearnt, phase) = (nil, true, .closed)
      return
    }
    let end = WindowEnd(notice, sent: ticket.sent, answered: now)
    guard ticket.window == window else {
      if allowance != nil { learnLate(notice.remaining, end) }
      return
    }
    // An error without a count may come from a proxy: it is unknown whether the provider
    // received the request.
    guard notice.isAnswer || notice.remaining != nil else { return giveUp(ticket, countedBy: now) }
    guard let told = notice.remaining, let end else {
      return learnNothing(beyond: notice.remaining, now: now)
    }
    let remaining = min(max(0, told), Self.most)
    measure(remaining, notice.resetsIn ?? .zero)
    if isTold, case .open(let known) = phase {
      if end.earliest >= known.latest {
        close(now: ticket.sent)
        open(left: remaining, end)
      } else {
        // Within a window the count only decreases.
        let isSame = end.isSurely(known, length: shown?.period) && remaining < ticket.left ?? .max
        open(left: min(left, remaining), isSame ? known.narrowed(by: end) : known.widened(by: end))
      }
    } else {
      open(left: remaining, end)
    }
    isTold = true
  }

  /// Learns from the answer to a request of an earlier window, which may have counted in this or a
  /// later one.
  private mutating func learnLate(_ remaining: Int?, _ end: WindowEnd?) {
    switch phase {
    case .closed:
      // The first answer of the next window includes it, if it counts.
      if remaining == 0, let end { pause(until: end.latest) }
    case .opening: lost += 1
    case .open(let known):
      if let end, end.latest <= known.earliest { return }
      lost += 1
      if let end { phase = .open(known.widened(by: end)) }
    }
  }

  /// Adopts the limit shown by the first answer of a window.
  private mutating func measure(_ remaining: Int, _ resetsIn: Duration) {
    guard let allowance else {
      self.allowance = Allowance(requests: remaining + 1, per: resetsIn)
      isLearnt = true
      return
    }
    guard phase == .opening, resetsIn > .zero else { return }
    isLearnt = true
    let limit = max(shown?.requests ?? 1, remaining + 1)
    shown = Allowance(requests: limit, per: max(shown?.period ?? .zero, resetsIn))
    self.allowance = Allowance(requests: limit, per: max(allowance.period, resetsIn))
  }

  /// Handles an answer without the end of the window, and possibly without a count.
  private mutating func learnNothing(beyond told: Int?, now: Duration) {
    guard let allowance else { return }
    let most = max(0, told ?? .max)
    switch phase {
    case .opening:
      let end = WindowEnd(earliest: now, latest: now + allowance.period)
      open(left: min(allowance.requests - 1, most), end)
    case .open:
      if isTold { lost += 1 } else { left = max(0, min(left - 1, most)) }
      roll(allowance, now: now)
    case .closed: break
    }
  }

  /// Extends a window with a rolling limit until all its requests have expired.
  private mutating func roll(_ allowance: Allowance, now: Duration) {
    guard isRolling, case .open(let end) = phase else { return }
    phase = .open(
      WindowEnd(earliest: end.earliest, latest: max(end.latest, now + allowance.period))
    )
  }
}
