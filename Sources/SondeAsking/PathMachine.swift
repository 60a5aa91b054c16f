import SondeReachability
import SondeRecords
import SondeStore
import SondeSystem

/// Decides whether a request may go out, as far as the path to the provider goes: a pure value.
///
/// It goes by what the monitor sees and by what exchanges report. A report that speaks of a loss
/// closes the path at once, for a moment that grows, until the monitor has judged.
struct PathMachine: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// Whether a request may go out.
  enum Passage: Equatable {
    case open
    /// Not within the patience; the reason is for the record.
    case lost(String)
    /// Not yet: look again after the next change, at the latest at this moment.
    case wait(until: Instant?)
  }

  /// How long the monitor's first word is waited for.
  static let firstWord = Duration.milliseconds(1500)

  /// How long another path must have been open before it is taken instead: both may go over the same
  /// link, and one monitor sees it go or return before the other.
  static let hearing = Duration.milliseconds(100)

  /// The bounds of the moment for which a report alone closes the path.
  private static let doubt = (first: Duration.milliseconds(250), longest: Duration.seconds(5))

  private let endpoint: String
  private let patience: OfflinePatience
  /// When the path began to matter; `nil` while nobody has been asked.
  private var begin: Instant?
  private var transition: NetworkTransition?
  private var hasAnswered = false
  /// When the loss began that is not over, for the patience.
  private var lossBegan: Instant?
  /// When the loss began that seems to be over; no answer has come since.
  private var unprovenReturn: Instant?
  private var doubts = 0
  private var doubtEnd: Instant?
  /// The first of the reports that nothing has contradicted since.
  private var doubt: Doubt?
  private var isWatched = true
  /// Whether the loss that the monitor sees has still to be told.
  private var isUntold = false

  /// Why nothing may be asked although the path is open, if that is so.
  private(set) var outage: LedgerOutage?
  private var outageBegan: Timestamp?

  /// A report that speaks of a loss.
  private struct Doubt {
    let finding: Finding
    let began: Instant
    let wall: Timestamp
  }

  init(endpoint: String, patience: OfflinePatience) {
    self.endpoint = endpoint
    self.patience = patience
  }

  /// Whether the path is watched.
  var hasBegun: Bool { begin != nil }

  /// Notes that the path matters from now on; whether it did not before.
  mutating func begin(now: Instant) -> Bool {
    defer { begin = begin ?? now }
    return begin == nil
  }

  /// Notes that no monitor can be had: the exchanges alone say how the path is.
  mutating func goUnwatched() { isWatched = false }

  /// Notes that the loss that the monitor sees has been told.
  mutating func noteTold() { isUntold = false }

  /// Takes what an exchange found out about the path.
  ///
  /// - Parameters:
  ///   - finding: What it found out.
  ///   - now: This moment.
  ///   - wall: The same by the system's clock.
  mutating func take(_ finding: Finding, now: Instant, wall: Timestamp) {
    switch finding {
    case .answered:
      hasAnswered = true
      trust()
      // A loss that the monitor still sees, or sees next, does not reach back beyond an answer.
      if lossBegan != nil, outage == nil { lossBegan = now }
    case .provedOpen: trust()
    case .notResolved, .timedOut, .noRoute, .notPermitted, .loginPage:
      // What fails right after a return has not returned.
      lossBegan = lossBegan ?? unprovenReturn ?? now
      doubt = doubt ?? Doubt(finding: finding, began: now, wall: wall)
      // What was under way at the same time fails together: that is one report.
      if let doubtEnd, now < doubtEnd { break }
      doubtEnd = now + min(Self.doubt.first * (1 << min(doubts, 5)), Self.doubt.longest)
      doubts += 1
    case .inconclusive: break
    }
  }

  private mutating func trust() {
    doubts = 0
    doubtEnd = nil
    doubt = nil
    unprovenReturn = nil
    if isPathOpen, outage == nil { lossBegan = nil }
  }

  /// Takes whether the ledger of the quota is gone.
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

  /// Takes what the monitor tells.
  ///
  /// - Returns: Whether it is worth telling, which a first `online` is not.
  mutating func take(_ transition: NetworkTransition, now: Instant) -> Bool {
    let isFirst = self.transition == nil
    self.transition = transition
    isUntold = !transition.verdict.isOnline
    if transition.verdict.isOnline {
      doubtEnd = nil
      doubt = nil
      unprovenReturn = lossBegan ?? unprovenReturn
      if outage == nil { lossBegan = nil }
    } else {
      lossBegan = lossBegan ?? now
    }
    return !(isFirst && transition.verdict.isOnline)
  }

  /// Whether a request may go out now, whatever the patience.
  func isOpen(now: Instant) -> Bool { loss(now: now) == nil && !awaitsFirstWord(now: now) }

  /// Whether the path is known to be closed.
  func isLost(now: Instant) -> Bool { loss(now: now) != nil && !awaitsFirstWord(now: now) }

  /// Whether a request may go out now, or what to wait for.
  ///
  /// - Parameters:
  ///   - otherSince: Since when another provider's path is open, if one is.
  ///   - now: This moment.
  /// - Returns: Which of both.
  func passage(otherSince: Instant?, now: Instant) -> Passage {
    if awaitsFirstWord(now: now) { return .wait(until: begin.map { $0 + Self.firstWord }) }
    guard let loss = loss(now: now) else { return .open }
    // Before it is told, nobody gives up for it.
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

  /// Until when the monitor may say why what a report speaks of is lost; `nil` where it has, or there
  /// is none.
  private var judgementEnd: Instant? {
    guard isWatched, transition?.verdict.isOnline ?? true else { return nil }
    return doubt.map { $0.began + Self.firstWord }
  }

  private func awaitsFirstWord(now: Instant) -> Bool {
    isWatched && transition == nil && begin.map { $0 + Self.firstWord > now } ?? false
  }

  /// Why the path is closed, for the record; `nil` where it is open.
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
    // Nothing but the exchanges says so.
    let cause = doubt.finding == .loginPage ? OfflineCause.captivePortal : .unreachable
    return words(cause, on: nil, since: doubt.wall)
  }

  /// Whether the monitor sees the path open; of the ledger that is known here first.
  private var isPathOpen: Bool {
    switch transition?.verdict {
    case nil, .online, .offline(.sharedUnreachable): true
    case .offline: false
    }
  }

  private func words(
    _ cause: OfflineCause,
    on interface: String?,
    since: Timestamp
  ) -> String {
    let place = interface.map { " on \($0)" } ?? ""
    return "network lost: \(cause.rawValue)\(place), on the path to \(endpoint), "
      + "since \(since.wholeSeconds)"
  }
}
