import Reachability
import Records

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

  /// Takes what an exchange found out about the path.
  mutating func take(_ finding: Finding, now: Instant) {
    switch finding {
    case .answered:
      hasAnswered = true
      trust()
    case .provedOpen: trust()
    case .notResolved, .timedOut, .noRoute, .notPermitted, .loginPage:
      // What fails right after a return has not returned.
      lossBegan = lossBegan ?? unprovenReturn ?? now
      doubtEnd = now + min(Self.doubt.first * (1 << min(doubts, 5)), Self.doubt.longest)
      doubts += 1
    case .inconclusive: break
    }
  }

  private mutating func trust() {
    doubts = 0
    doubtEnd = nil
    unprovenReturn = nil
    if transition?.verdict.isOnline ?? true { lossBegan = nil }
  }

  /// Takes what the monitor tells.
  ///
  /// - Returns: Whether it is worth telling, which a first `online` is not.
  mutating func take(_ transition: NetworkTransition, now: Instant) -> Bool {
    let isFirst = self.transition == nil
    self.transition = transition
    if transition.verdict.isOnline {
      doubtEnd = nil
      unprovenReturn = lossBegan ?? unprovenReturn
      lossBegan = nil
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
    let limit = patience.limit(hasAnswered: hasAnswered)
    let deadline = limit.flatMap { limit in lossBegan.map { $0 + limit } }
    let diversion = otherSince.map { $0 + Self.hearing }
    if [deadline, diversion].contains(where: { $0.map { $0 <= now } ?? false }) {
      return .lost(loss)
    }
    let doubt = doubtEnd.flatMap { $0 > now ? $0 : nil }
    return .wait(until: [deadline, diversion, doubt].compactMap(\.self).min())
  }

  private func awaitsFirstWord(now: Instant) -> Bool {
    transition == nil && begin.map { $0 + Self.firstWord > now } ?? false
  }

  /// Why the path is closed, for the record; `nil` where it is open.
  private func loss(now: Instant) -> String? {
    let isDoubtful = doubtEnd.map { $0 > now } ?? false
    guard let transition else {
      // Nothing can be watched: the exchanges alone say how the path is.
      return isDoubtful ? "network lost on the way to \(endpoint)" : nil
    }
    return transition.verdict.isOnline && !isDoubtful ? nil : transition.lossText
  }
}

extension NetworkTransition {
  /// What a record says that was lost to this.
  fileprivate var lossText: String {
    guard let cause = verdict.cause else { return "network lost on the way to \(endpoint)" }
    let since = Timestamp(seconds: Int64(began.wall / .seconds(1))).wholeSeconds
    let place = interface.map { " on \($0)" } ?? ""
    return "network lost: \(cause.rawValue)\(place), on the way to \(endpoint), since \(since)"
  }
}
