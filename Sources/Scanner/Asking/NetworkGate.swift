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
    var transition: NetworkTransition?
    var hasAnswered = false
    /// When answers ceased to come, whatever the monitor has made of it since.
    var lossBegan: ContinuousClock.Instant?
    var doubts = 0
    var doubtEnd: ContinuousClock.Instant?
  }

  /// How long the monitor's first word is waited for.
  private static let firstWord = Duration.milliseconds(1500)

  private let monitor: NetworkMonitor
  private let probe: WayProbe
  private let patience: OfflinePatience
  private let report: EventHandler
  private let start = ContinuousClock.now
  private let state = Mutex(State())
  private let change = Bell()

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - monitor: Watches the way.
  ///   - probe: Looks for the return.
  ///   - patience: How long ``pass(unless:)`` waits while it is closed.
  ///   - report: Told of losses and returns.
  init(
    _ monitor: NetworkMonitor,
    probe: WayProbe,
    patience: OfflinePatience,
    report: @escaping EventHandler
  ) {
    self.monitor = monitor
    self.probe = probe
    self.patience = patience
    self.report = report
  }

  /// Makes a gate with a monitor of its own; `nil` when the process has no thread to spare.
  convenience init?(
    way: Reachability.Endpoint,
    api: any RemoteAPI,
    client: HTTPClient,
    rules: AskingRules,
    budget: RequestBudget,
    report: @escaping EventHandler
  ) {
    var configuration = NetworkMonitor.Configuration(endpoint: way)
    // The requests themselves are the regular probes.
    configuration.probeInterval = .zero
    let probe = WayProbe(way: way, api: api, client: client, budget: budget)
    guard let monitor = try? NetworkMonitor(configuration, probe: { await probe() }) else {
      return nil
    }
    self.init(
      monitor,
      probe: probe,
      patience: rules.patience,
      report: report
    )
  }

  /// The network as the monitor sees it now.
  var status: NetworkStatus { monitor.currentStatus }

  /// Whether a request may go out now.
  var isOpen: Bool { state.withLock { judge($0) == nil } }

  /// Follows the monitor until the task is cancelled.
  ///
  /// - Parameter giveUp: Called at each loss, to end the requests under way.
  func watch(onLoss giveUp: () -> Void) async {
    for await event in monitor.events() {
      switch event {
      case .interface(let change): report(.interface(change))
      case .network(let transition):
        let isNews = take(transition)
        if !transition.verdict.isOnline { giveUp() }
        if isNews { report(.network(transition)) }
        change.ring()
      }
    }
  }

  /// Waits until the way is open, as long as the patience lasts.
  ///
  /// - Parameter diverts: Whether another provider's way is open, which is no reason to wait.
  /// - Returns: Whether a request may go out.
  /// - Throws: `CancellationError`.
  func pass(unless diverts: () -> Bool) async throws -> Passage {
    while true {
      let round = change.round
      guard let wait = state.withLock({ judge($0) }) else { return .open }
      if let loss = wait.loss {
        if diverts() { return .lost(loss) }
        if let deadline = wait.deadline, deadline <= .now { return .lost(loss) }
      }
      try await change.wait(
        after: round,
        until: [wait.deadline, wait.check].compactMap(\.self).min()
      )
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
        if state.transition?.verdict.isOnline ?? true { state.lossBegan = nil }
      case .notResolved, .timedOut, .noRoute, .loginPage:
        state.lossBegan = state.lossBegan ?? .now
        state.doubtEnd = .now + min(.milliseconds(250) * (1 << min(state.doubts, 5)), .seconds(5))
        state.doubts += 1
      case .inconclusive: return
      }
    }
    monitor.report(finding)
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
    guard let transition = state.transition else {
      let end = start + Self.firstWord
      return ContinuousClock.now < end ? Wait(check: end) : nil
    }
    let doubt = state.doubtEnd.flatMap { $0 > .now ? $0 : nil }
    guard !transition.verdict.isOnline || doubt != nil else { return nil }
    let limit = patience.limit(hasAnswered: state.hasAnswered)
    let deadline = limit.flatMap { limit in state.lossBegan.map { $0 + limit } }
    return Wait(loss: transition.lossText, deadline: deadline, check: doubt)
  }

  /// Notes a transition; whether it is worth telling, which a first `online` is not.
  private func take(_ transition: NetworkTransition) -> Bool {
    state.withLock { state in
      let isFirst = state.transition == nil
      state.transition = transition
      if transition.verdict.isOnline {
        state.doubtEnd = nil
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
