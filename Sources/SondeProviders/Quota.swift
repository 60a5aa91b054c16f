/// So many requests in so much time, as a provider publishes it or as `--rate` gives it.
public struct Allowance: Sendable, Equatable {
  /// Requests in a window.
  public var requests: Int

  /// The length of a window.
  public var period: Duration

  /// Makes an allowance.
  public init(requests: Int, per period: Duration) {
    self.requests = requests
    self.period = period
  }

  /// The same in a window of at most this length.
  func lasting(atMost longest: Duration) -> Allowance {
    Allowance(requests: requests, per: min(period, longest))
  }
}

/// What the headers of an answer say of the quota.
public struct QuotaNotice: Sendable, Equatable {
  /// Requests left in the window, counted when the provider took the request (ip-api's `X-Rl`).
  public var remaining: Int?

  /// Time until the window ends, rounded up to whole seconds by the provider (`X-Ttl`).
  public var resetsIn: Duration?

  /// How long to send nothing at all (`Retry-After`, RFC 9110 §10.2.3).
  public var retryAfter: Duration?

  /// Whether ``retryAfter`` is what is left of a day or a month whose quota is spent.
  ///
  /// That is not waited for, however little is left: nobody publishes in which zone the day ends.
  public var isSpentForPeriod = false

  /// Whether the provider turned the request down for having had too many (429, or an empty 200).
  public var isThrottled = false

  /// Whether the provider answered what it was asked.
  public var isAnswer = false

  /// Makes a notice that says nothing.
  public init() {}
}

/// The quota of one provider: fixed windows whose limit and end only the provider knows for sure.
///
/// The published figures are the start and the answers' headers the truth. Until the first answer
/// of a window is in, one request is under way; then as many as the lowest remaining count leaves.
/// Time is passed in, as the distance from any fixed moment.
public struct Quota: Sendable {
  /// What to do about the next request.
  public enum Decision: Equatable, Sendable {
    /// Send it, and settle the ticket afterwards.
    case send(Ticket)
    /// Nothing may be sent before this moment: the window is spent, or the provider asked for it.
    case wait(until: Duration)
    /// Nothing may be sent before this moment, the end of a day or month whose quota is spent.
    case spent(until: Duration)
    /// Ask again when an answer that is under way is in, or at this moment if there is one.
    case waitForAnswer(until: Duration?)
  }

  /// A request under way, and the window it was sent in.
  public struct Ticket: Equatable, Sendable {
    let window: Int
    let sent: Duration
    /// What a header had told of the window by then, if one had.
    let left: Int?

    /// The same, sent no later than at a moment.
    func sent(by moment: Duration) -> Ticket {
      Ticket(window: window, sent: min(sent, moment), left: left)
    }
  }

  /// How a request ended, as far as the quota goes.
  public enum Outcome: Equatable, Sendable {
    /// An answer came.
    case answered(QuotaNotice)
    /// Given up; the provider may have counted it.
    case lost
    /// Nothing of it reached the provider.
    case notSent

    /// Whether it changes nothing where there is no limit.
    public var tellsOfNoLimit: Bool {
      guard case .answered(let notice) = self else { return true }
      return !notice.isThrottled && notice.retryAfter == nil && notice.remaining == nil
    }
  }

  enum Phase: Equatable {
    /// No window is open; the next request opens one.
    case closed
    /// The request that opens the window is under way.
    case opening
    /// Answers have told about the window.
    case open(WindowEnd)
  }

  /// The highest count that a header is believed.
  private static let most = 1_000_000_000

  /// How long a request may be on its way: one that is given up sooner, as that of a process that was
  /// killed, may be counted in the window after its own.
  static let longestWay = Duration.seconds(2)

  /// The published or measured limit; `nil` where the provider sets none.
  public internal(set) var allowance: Allowance?

  /// Whether the limit holds even where answers say nothing of a quota.
  let isFirm: Bool

  /// Whether the limit holds in any stretch of time as long as a window, wherever that begins.
  let isRolling: Bool

  /// The longest wait that the provider is believed to ask for.
  let believableWait: BelievableWait

  /// Whether answers have told ``allowance``.
  var isLearnt = false

  /// The highest limit and the longest rest of a window that first answers have shown; a window
  /// that another client or the clock began shows less than there is.
  var shown: Allowance?

  var phase = Phase.closed
  var window = 0
  /// Requests left when the latest one of those answered was taken.
  var left = 0
  /// Whether a header of this window has told ``left``; otherwise it is our own count.
  var isTold = false
  /// Requests of any window whose answers are not in.
  var underWay = 0
  /// Requests of this window that may or may not have been counted by the provider.
  var lost = 0
  /// When the lost requests that the next window may count are in an earlier one for sure.
  var lostUntil = Duration.zero
  /// Until when nothing may be sent.
  ///
  /// Where no limit is known it stays when it is over, until a request that was sent alone is answered.
  var pausedUntil: Duration?
  /// Whether ``pausedUntil`` ends a day or month whose quota is spent.
  var isSpentForPeriod = false

  /// Starts with a published limit, or with none.
  ///
  /// - Parameters:
  ///   - allowance: The limit until an answer tells another.
  ///   - isFirm: Whether the limit stays where answers say nothing of a quota; `false` for a
  ///     mirror, whose owner need not have taken over the limit of the service it mirrors.
  ///   - isRolling: Whether the limit holds in any stretch of time as long as a window: then the next
  ///     one begins as long after the last answer of this one.
  ///   - believableWait: The longest wait that the provider is believed to ask for, also where a ledger
  ///     holds a longer one.
  public init(
    allowance: Allowance?,
    isFirm: Bool = true,
    isRolling: Bool = false,
    believing believableWait: BelievableWait = .untilNext(.month)
  ) {
    self.allowance = allowance
    self.isFirm = isFirm
    self.isRolling = isRolling
    self.believableWait = believableWait
  }

  /// Requests that may go out now without an answer to any that is under way, if a window is open.
  public var remaining: Int? {
    guard case .open = phase, allowance != nil else { return nil }
    return max(0, left - underWay - lost)
  }

  /// What is left of a window, and how long it lasts yet.
  public struct Rest: Sendable, Equatable {
    /// Requests.
    public let requests: Int

    /// The time until there are more.
    public let length: Duration

    /// Describes what is left.
    public init(requests: Int, length: Duration) {
      (self.requests, self.length) = (requests, length)
    }
  }

  /// What is left at a moment; `nil` where the next request opens a window.
  public func rest(at now: Duration) -> Rest? {
    if let pausedUntil, now < pausedUntil { return Rest(requests: 0, length: pausedUntil - now) }
    guard let remaining, case .open(let end) = phase, now < end.latest else { return nil }
    return Rest(requests: remaining, length: end.latest - now)
  }

  /// Takes leave to send one request, or says what to wait for.
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
      // Those under way may be counted in the next window, too.
      guard lost == 0 || lost + underWay < allowance.requests else {
        return underWay > 0 ? .waitForAnswer(until: lostUntil) : .wait(until: lostUntil)
      }
      phase = .opening
      return send(at: now)
    case .opening:
      return .waitForAnswer(until: nil)
    case .open(let end):
      if left - underWay - lost > 0 { return send(at: now) }
      let answerMayTell = underWay > 0 && left - lost > 0
      return answerMayTell ? .waitForAnswer(until: end.latest) : .wait(until: end.latest)
    }
  }

  /// Takes back a ticket and learns from what came of its request.
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

  /// Counts a request as under way that was sent without asking here.
  mutating func adopt() { underWay += 1 }

  /// A ticket that nobody counts, if a request may go out at once and however many others do.
  public func uncountedTicket(now: Duration) -> Ticket? {
    guard allowance == nil, pausedUntil == nil else { return nil }
    return Ticket(window: window, sent: now, left: nil)
  }

  /// Sends nothing before a moment, whoever asked for it.
  public mutating func pause(until moment: Duration) {
    pausedUntil = max(pausedUntil ?? moment, moment)
  }

  private mutating func send(at now: Duration) -> Decision {
    underWay += 1
    return .send(Ticket(window: window, sent: now, left: isTold ? left : nil))
  }

  /// Sends one request alone after a pause, and any number at other times.
  private mutating func reserveWithoutLimit(at now: Duration) -> Decision {
    guard pausedUntil != nil else { return send(at: now) }
    guard phase == .closed else { return .waitForAnswer(until: nil) }
    phase = .opening
    return send(at: now)
  }

  /// Notes that the provider answers again.
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

  /// Counts a request as lost that the provider has counted by a moment, if it has.
  private mutating func giveUp(_ ticket: Ticket, countedBy moment: Duration) {
    let isCurrent = ticket.window == window
    guard let allowance else {
      if isCurrent { phase = .closed }
      return
    }
    lost += 1
    // What was sent while there was no limit is none of a window's.
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
    // A fault without a count may be a proxy's: whether the provider saw the request, only it knows.
    guard notice.isAnswer || notice.remaining != nil else {
      return giveUp(ticket, countedBy: now)
    }
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
        // Within a window the count only falls.
        let isSame = end.isSurely(known, length: shown?.period) && remaining < ticket.left ?? .max
        open(left: min(left, remaining), isSame ? known.narrowed(by: end) : known.widened(by: end))
      }
    } else {
      open(left: remaining, end)
    }
    isTold = true
  }

  /// Learns from the answer to a request that was sent in an earlier window, and that the provider
  /// may have counted in this one or in a later one.
  private mutating func learnLate(_ remaining: Int?, _ end: WindowEnd?) {
    switch phase {
    case .closed:
      // The next window's first answer counts it, if it is to be counted.
      if remaining == 0, let end { pause(until: end.latest) }
    case .opening: lost += 1
    case .open(let known):
      if let end, end.latest <= known.earliest { return }
      lost += 1
      if let end { phase = .open(known.widened(by: end)) }
    }
  }

  /// Takes over the limit that a window's first answer shows.
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

  /// Learns of no end of the window, and perhaps not of how many requests are left in it.
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

  /// Has a window whose limit is a rolling one last until all that was sent in it is long enough ago.
  private mutating func roll(_ allowance: Allowance, now: Duration) {
    guard isRolling, case .open(let end) = phase else { return }
    phase = .open(
      WindowEnd(earliest: end.earliest, latest: max(end.latest, now + allowance.period))
    )
  }
}
