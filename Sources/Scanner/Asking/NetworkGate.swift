import Providers
import Reachability
import Records
import Synchronization
import Transfer

/// How long addresses are held back while the network is lost.
public enum OfflinePatience: Sendable, Equatable {
  /// Ten seconds until the provider has answered once, from then on for ever.
  case standard
  /// For this long.
  case after(Duration)
  /// Until the network is back.
  case forever

  /// The time, for a provider that has or has not answered yet; `nil` is for ever.
  func limit(hasAnswered: Bool) -> Duration? {
    switch self {
    case .standard: hasAnswered ? nil : .seconds(10)
    case .after(let limit): limit
    case .forever: nil
    }
  }
}

/// The way to one provider: closed while the network is lost.
///
/// It goes by what the monitor sees and by what transfers report. A report that speaks of a loss
/// closes it at once, for a moment that grows, until the monitor has judged.
final class NetworkGate: Sendable {
  /// Whether a request may go out.
  enum Passage {
    case open
    /// Not within the patience; the reason is for the record.
    case lost(String)
  }

  private struct State {
    /// When the way began to matter; `nil` while nobody has been asked.
    var begin: ContinuousClock.Instant?
    /// `nil` also where the process has no thread to spare.
    var monitor: NetworkMonitor?
    var transition: NetworkTransition?
    var hasAnswered = false
    /// When the loss began that is not over, for the patience.
    var lossBegan: ContinuousClock.Instant?
    /// When the loss began that seems to be over; no answer has come since.
    var unprovenReturn: ContinuousClock.Instant?
    var doubts = 0
    var doubtEnd: ContinuousClock.Instant?
  }

  /// How long the monitor's first word is waited for.
  private static let firstWord = Duration.milliseconds(1500)

  /// How long another way must have been open before it is gone instead: both may go over the same
  /// link, and one monitor sees it go or return before the other.
  private static let hearing = Duration.milliseconds(100)

  private let way: Reachability.Endpoint
  private let probe: WayProbe
  private let patience: OfflinePatience
  private let report: EventHandler
  private let state = Mutex(State())
  private let change = Bell()
  private let beginning = Bell()

  /// Makes a gate that watches nothing yet.
  ///
  /// - Parameters:
  ///   - way: Where the way leads.
  ///   - probe: Looks for the return.
  ///   - patience: How long ``pass(unless:)`` waits while it is closed.
  ///   - report: Told of losses and returns.
  init(
    way: Reachability.Endpoint,
    probe: WayProbe,
    patience: OfflinePatience,
    report: @escaping EventHandler
  ) {
    self.way = way
    self.probe = probe
    self.patience = patience
    self.report = report
  }

  /// Begins to watch the way, at the first question that wants it: a run that asks nobody does not
  /// even resolve a name.
  func begin() {
    let isFirst = state.withLock { state in
      defer { state.begin = state.begin ?? .now }
      return state.begin == nil
    }
    guard isFirst else { return }
    var configuration = NetworkMonitor.Configuration(endpoint: way)
    // The requests themselves are the regular probes.
    configuration.probeInterval = .zero
    let monitor = try? NetworkMonitor(configuration, probe: { [probe] in await probe() })
    state.withLock { $0.monitor = monitor }
    beginning.ring()
  }

  /// Whether the way is watched.
  var hasBegun: Bool { state.withLock { $0.begin != nil } }

  /// The network as the monitor sees it now; `nil` before it watches.
  var status: NetworkStatus? { monitor?.currentStatus }

  private var monitor: NetworkMonitor? { state.withLock { $0.monitor } }

  /// Whether a request may go out now.
  var isOpen: Bool { state.withLock { judge($0) == nil } }

  /// Lets those who wait look whether there is another way now.
  func lookAgain() { change.ring() }

  /// Follows the monitor until the task is cancelled.
  ///
  /// - Parameters:
  ///   - giveUp: Called at each loss, to end the requests under way.
  ///   - tellOthers: Called after each change.
  func watch(onLoss giveUp: () -> Void, onChange tellOthers: () -> Void) async {
    guard (try? await beginning.wait(after: 0, until: nil)) != nil, let monitor else { return }
    for await event in monitor.events() {
      switch event {
      case .interface(let change): report(.interface(change))
      case .network(let transition):
        let isNews = take(transition)
        if !transition.verdict.isOnline { giveUp() }
        if isNews { report(.network(transition)) }
        change.ring()
        tellOthers()
      }
    }
  }

  /// Waits until the way is open, as long as the patience lasts.
  ///
  /// - Parameter diverts: Whether another provider's way is open, which is no reason to wait.
  /// - Returns: Whether a request may go out.
  /// - Throws: `CancellationError`.
  func pass(unless diverts: () -> Bool) async throws -> Passage {
    var otherWaySince: ContinuousClock.Instant?
    while true {
      let round = change.round
      guard let wait = state.withLock({ judge($0) }) else { return .open }
      var moments = [wait.deadline, wait.check]
      if let loss = wait.loss {
        if let deadline = wait.deadline, deadline <= .now { return .lost(loss) }
        otherWaySince = diverts() ? otherWaySince ?? .now : nil
        if let hearing = otherWaySince.map({ $0 + Self.hearing }) {
          guard hearing > .now else { return .lost(loss) }
          moments.append(hearing)
        }
      }
      try await change.wait(after: round, until: moments.compactMap(\.self).min())
    }
  }

  /// Takes what a transfer found out about the way.
  func take(_ finding: Finding) {
    probe.note(finding)
    state.withLock { state in
      switch finding {
      case .answered:
        state.hasAnswered = true
        fallthrough
      case .provedOpen:
        state.doubts = 0
        state.doubtEnd = nil
        state.unprovenReturn = nil
        if state.transition?.verdict.isOnline ?? true { state.lossBegan = nil }
      case .notResolved, .timedOut, .noRoute, .notPermitted, .loginPage:
        // What fails right after a return has not returned.
        state.lossBegan = state.lossBegan ?? state.unprovenReturn ?? .now
        state.doubtEnd = .now + min(.milliseconds(250) * (1 << min(state.doubts, 5)), .seconds(5))
        state.doubts += 1
      case .inconclusive: return
      }
    }
    monitor?.report(finding)
  }

  // MARK: - Judging

  private struct Wait: Equatable {
    /// Why the way is closed; `nil` while the monitor has not said its first word.
    var loss: String?
    /// When the patience ends.
    var deadline: ContinuousClock.Instant?
    /// When to look again, whatever happens.
    var check: ContinuousClock.Instant?
  }

  /// What to wait for; `nil` when the way is open.
  private func judge(_ state: State) -> Wait? {
    let doubt = state.doubtEnd.flatMap { $0 > .now ? $0 : nil }
    let limit = patience.limit(hasAnswered: state.hasAnswered)
    let deadline = limit.flatMap { limit in state.lossBegan.map { $0 + limit } }
    guard let transition = state.transition else {
      if let end = state.begin.map({ $0 + Self.firstWord }), end > .now { return Wait(check: end) }
      // Nothing can be watched: the transfers alone say how the way is.
      return doubt.map {
        Wait(loss: "network lost on the way to \(way)", deadline: deadline, check: $0)
      }
    }
    guard !transition.verdict.isOnline || doubt != nil else { return nil }
    return Wait(loss: transition.lossText, deadline: deadline, check: doubt)
  }

  /// Notes a transition; whether it is worth telling, which a first `online` is not.
  private func take(_ transition: NetworkTransition) -> Bool {
    state.withLock { state in
      let isFirst = state.transition == nil
      state.transition = transition
      if transition.verdict.isOnline {
        state.doubtEnd = nil
        state.unprovenReturn = state.lossBegan ?? state.unprovenReturn
        state.lossBegan = nil
      } else {
        state.lossBegan = state.lossBegan ?? .now
      }
      return !(isFirst && transition.verdict.isOnline)
    }
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
