import Providers
import Reachability
import Records
import Scanner
import Synchronization

/// Tells what happens in a run: to the person on stderr, and to the events file.
final class Reporter: Sendable {
  /// A database older than this is worth a word, in seconds.
  private static let oldAge: Int64 = 90 * 86_400
  /// A wait for the quota shorter than this is not worth one.
  private static let longWait = Duration.seconds(5)

  private struct State {
    var file: EventsFile?
    var hasSaidPrivacy = false
    var scan: Scan?
  }

  private let console: Console
  private let state = Mutex(State())

  init(console: Console) { self.console = console }

  /// Opens the events file, if one is wanted.
  ///
  /// - Parameters:
  ///   - path: The file; `-` is stdout.
  ///   - appends: Whether the events of an earlier run stay.
  /// - Throws: ``OutputFailure`` when it cannot be opened.
  func open(_ path: String?, appends: Bool) throws(OutputFailure) {
    guard let path else { return }
    let file = try EventsFile(path: path, appends: appends)
    state.withLock { $0.file = file }
  }

  /// Names the scan that the events are of, so that a loss can say how many addresses wait.
  func follow(_ scan: Scan) { state.withLock { $0.scan = scan } }

  /// Tells of one event.
  func report(_ event: ScanEvent) {
    if let line = event.json { state.withLock { $0.file?.write(line) } }
    switch event {
    case .firstQuestion(let source, let host, let isFree):
      if source == .ipAPI, isFree { sayPrivacy(host) }
    case .provider(let source, .refused, let message):
      console.error("\(source.name) refuses to answer: \(message)")
    case .provider(let source, .failing, let message):
      console.note("\(source.name) is failing: \(message)")
    case .provider(let source, .ok, _):
      console.note("\(source.name) answers again")
    case .handOver(let from, let to, let reason):
      console.note("\(to) answers in place of \(from): \(reason)")
    case .takeOver(let name):
      console.note("\(name) takes over again")
    case .inputFailure(let failure): console.error(failure.explained)
    case .quota(let source, let wait, _):
      // The progress line shows it, too.
      guard wait >= Self.longWait, !console.showsProgress else { return }
      console.note("\(source.name): the quota is spent; waiting \(wait.forPerson)")
    case .network(let transition): say(transition)
    case .gaveUpWaiting(let reason):
      console.note("addresses go without an answer from here on: \(reason)")
    case .retry, .interface: return
    }
  }

  /// Says what was lost, where and since when, or that it is back.
  private func say(_ transition: NetworkTransition) {
    let place = transition.interface.map { " on \($0)" } ?? ""
    guard let cause = transition.verdict.cause, let reason = transition.reason else {
      let time = transition.downTime.map { " after \($0.forPerson)" } ?? ""
      return console.note("network is back\(time)\(place); going on")
    }
    let since = Timestamp(seconds: Int64(transition.began.wall / .seconds(1))).wholeSeconds
    let waiting = state.withLock { $0.scan }.map(\.progress.waiting) ?? 0
    console.note(
      "network lost: \(reason) (\(cause.rawValue)\(place), on the way to "
        + "\(transition.endpoint)) since \(since); "
        + count(waiting, "address waits", "addresses wait")
    )
  }

  /// Says how old a local database is that answered, where that is long ago.
  func sayAge(of databases: LocalDatabases?) {
    guard let databases else { return }
    for warning in databases.warnings { console.note(warning) }
    let now = Timestamp.now.seconds
    for build in databases.builds where build.hasAnswered && now - build.date > Self.oldAge {
      let date = Timestamp(seconds: build.date).wholeSeconds.prefix(10)
      let days = (now - build.date) / 86_400
      let way =
        build.source == .libloc
        ? "renew it with 'location update' (Debian's package location)"
        : "get a newer one (location update renews libloc's alone)"
      console.note("\(build.path) is of \(date), \(days) days old; \(way)")
    }
  }

  /// Writes the summary; returns why the events file could not be written, if that is so.
  func finish(_ report: RunReport) -> OutputFailure? {
    let line = report.event.line
    return state.withLock { state in
      state.file?.write(line)
      return state.file?.failure
    }
  }

  private func sayPrivacy(_ host: String) {
    let isNews = state.withLock { state in
      defer { state.hasSaidPrivacy = true }
      return !state.hasSaidPrivacy
    }
    if isNews { console.note(Help.privacy(host: host)) }
  }
}
