import SondeReachability
import SondeRecords
import SondeStore
import SondeSystem

/// Decides whether a request may be sent, as far as the provider's path is concerned: a pure value.
///
/// It uses the monitor's verdict and the findings of exchanges. A finding that suggests a loss
/// closes the path at once, for a growing time, until the monitor has judged it.
struct PathMachine: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The permission to send a request.
  enum Passage: Equatable {
    case open
    /// Refused for the whole patience; with the reason for the record.
    case lost(String)
    /// Not yet: check again after the next change, at the latest at this moment.
    case wait(until: Instant?)
  }

  /// How long to wait for the monitor's first verdict.
  static let firstWord = Duration.milliseconds(1500)

  /// How long another path must have been open before it is used instead.
  ///
  /// Both paths may use the same link, whose loss and return are not detected simultaneously.
  static let hearing = Duration.milliseconds(100)

  /// The bounds of the time for which a finding alone closes the path.
  private static let doubt = Backoff(base: .milliseconds(250), longest: .seconds(5))

  private let endpoint: String
  private let patience: OfflinePatience
  /// When the path was first needed; `nil` before.
  private var begin: Instant?
  private var transition: NetworkTransition?
  private var hasAnswered = false
  /// The start of the current loss, for the patience.
  private var lossBegan: Instant?
  /// The start of a loss that seems to be over, but without an answer since.
  private var unprovenReturn: Instant?
  private var doubts = 0
  private var doubtEnd: Instant?
  /// The first finding that has not been contradicted since.
  private var doubt: Doubt?
  private var isWatched = true
  /// Whether the loss seen by the monitor is still to be reported.
  private var isUntold = false

  /// Why requests are not allowed although the path is open, if so.
  private(set) var outage: LedgerOutage?
  private var outageBegan: Timestamp?

  /// A finding that suggests a loss.
  private struct Doubt {
    let finding: Finding
    let began: Instant
    let wall: Timestamp
  }

  init(endpoint: String, patience: OfflinePatience) {
    (self.endpoint, self.patience) = (endpoint, patience)
  }

  var hasBegun: Bool { begin != nil }

  /// Starts to use the path; returns whether it was unused before.
  mutating func begin(now: Instant) -> Bool {
    defer { begin = begin ?? now }
    return begin == nil
  }

  /// Records that the provider has answered an earlier run of the same scan.
  mutating func noteEarlierAnswer() { hasAnswered = true }

  /// Records that there is no monitor, so that only exchanges show the state of the path.
  mutating func goUnwatched() { isWatched = false }

  /// Records that the monitor's loss was reported.
  mutating func noteTold() { isUntold = false }

  /// Handles an exchange's finding about the path.
  mutating func take(_ finding: Finding, now: Instant, wall: Timestamp) {
    switch finding {
    case .answered:
      hasAnswered = true
      trust()
      // A loss that the monitor reports now or later began after the answer.
      if lossBegan != nil, outage == nil { lossBegan = now }
    case .provedOpen: trust()
    case .notResolved, .timedOut, .noRoute, .notPermitted, .loginPage:
      // A failure directly after a return continues the loss.
      lossBegan = lossBegan ?? unprovenReturn ?? now
      doubt = doubt ?? Doubt(finding: finding, began: now, wall: wall)
      // Requests that were running at the same time fail together and count as one finding.
      if let doubtEnd, now < doubtEnd { break }
      doubtEnd = now + Self.doubt.bound(after: doubts)
      doubts += 1
    case .inconclusive: break
    }
  }

  private mutating func trust() {
    (doubts, doubtEnd, doubt, unprovenReturn) = (0, nil, nil, nil)
    if isPathOpen, outage == nil { lossBegan = nil }
  }

  /// Sets whether the ledger of quotas is unavailable.
  mutating func take(_ outage: LedgerOutage?, now: Instant, wall: Timestamp) {
    guard outage != self.outage else { return }
    if self.outage == nil {
      lossBegan = lossBegan ?? unprovenReturn ?? now
      outageBegan = wall
      // The monitor reports it, unless it is reporting another loss or has reported this outage.
      let isNews = outage?.isContinued == false && transition?.verdict.isOnline ?? true
      isUntold = isUntold || isWatched && begin != nil && isNews
    } else if outage == nil, isPathOpen {
      (unprovenReturn, lossBegan, isUntold) = (lossBegan, nil, false)
    }
    self.outage = outage
  }

  /// Handles the monitor's transition.
  ///
  /// - Returns: Whether to report it; not true of a first `online`.
  mutating func take(_ transition: NetworkTransition, now: Instant) -> Bool {
    let isFirst = self.transition == nil
    self.transition = transition
    isUntold = !transition.verdict.isOnline
    if transition.verdict.isOnline {
      (doubtEnd, doubt) = (nil, nil)
      unprovenReturn = lossBegan ?? unprovenReturn
      if outage == nil { lossBegan = nil }
    } else {
      lossBegan = lossBegan ?? now
    }
    return !(isFirst && transition.verdict.isOnline)
  }

  /// Whether a request may be sent now, regardless of the patience.
  func isOpen(now: Instant) -> Bool { loss(now: now) == nil && !awaitsFirstWord(now: now) }

  /// Whether the path is known to be closed.
  func isLost(now: Instant) -> Bool { loss(now: now) != nil && !awaitsFirstWord(now: now) }

  /// Whether a request may be sent now, or what to wait for.
  ///
  /// `otherSince` is the time since which another provider's path is open, if one is.
  func passage(otherSince: Instant?, now: Instant) -> Passage {
    if awaitsFirstWord(now: now) { return .wait(until: begin.map { $0 + Self.firstWord }) }
    guard let loss = loss(now: now) else { return .open }
    // The patience does not end before the loss is reported.
    if isUntold { return .wait(until: nil) }
    let limit = patience.limit(hasAnswered: hasAnswered)
    let deadline = limit.flatMap { limit in lossBegan.map { $0 + limit } }
    let diversion = otherSince.map { $0 + Self.hearing }
    let judgement = judgementEnd
    let ends = [deadline, diversion].compactMap(\.self).map { max($0, judgement ?? $0) }
    if ends.contains(where: { $0 <= now }) { return .lost(loss) }
    let doubt = doubtEnd.flatMap { $0 > now ? $0 : nil }
    return .wait(until: (ends + [doubt].compactMap(\.self)).min())
  }

  /// Until when the monitor may find the cause of a suspected loss; `nil` if it has, or none runs.
  private var judgementEnd: Instant? {
    guard isWatched, transition?.verdict.isOnline ?? true else { return nil }
    return doubt.map { $0.began + Self.firstWord }
  }

  private func awaitsFirstWord(now: Instant) -> Bool {
    isWatched && transition == nil && begin.map { $0 + Self.firstWord > now } ?? false
  }

  /// Why the path is closed, for the record; `nil` if it is open.
  private func loss(now: Instant) -> String? {
    if let transition, let cause = transition.verdict.cause, !isPathOpen {
      let since = Timestamp(seconds: Int64(transition.began.wall / .seconds(1)))
      return words(cause, on: transition.interface, since: since)
    }
    if let outage, let outageBegan {
      return "network lost: \(OfflineCause.sharedUnreachable.rawValue), \(outage.place): "
        + "\(outage.reason), since \(outageBegan.wholeSeconds)"
    }
    guard let doubtEnd, doubtEnd > now, let doubt else { return nil }
    // Only the exchanges show it.
    let cause = doubt.finding == .loginPage ? OfflineCause.captivePortal : .unreachable
    return words(cause, on: nil, since: doubt.wall)
  }

  /// Whether the monitor considers the path open; the ledger's state is known here first.
  private var isPathOpen: Bool {
    switch transition?.verdict {
    case nil, .online, .degraded, .offline(.sharedUnreachable): true
    case .offline: false
    }
  }

  private func words(_ cause: OfflineCause, on interface: String?, since: Timestamp) -> String {
    let place = interface.map { " on \($0)" } ?? ""
    return "network lost: \(cause.rawValue)\(place), on the path to \(endpoint), "
      + "since \(since.wholeSeconds)"
  }
}
