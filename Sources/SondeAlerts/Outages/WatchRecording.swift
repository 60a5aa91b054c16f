package import SondeReachability
import SondeRecords
import SondeSystem

/// What one program has seen of an endpoint, as runs to be written: a pure value that is passed the
/// time.
package struct WatchRecording: Sendable {
  /// The time without a sign of life after which nobody was watching.
  package static let longestSilence = Duration.seconds(30)

  /// The largest number of runs that wait for a file that cannot be written.
  private static let mostUnwritten = 1000

  private let watcher: Int64

  /// The name of the command, and the endpoint as in events.
  let program: String
  let endpoint: String
  private let boot: Int64
  private var current: WatchedRun?

  /// The runs that have changed since they were written, the current one last.
  package private(set) var unwritten: [WatchedRun] = []

  /// Whether nothing was found yet.
  package var isEmpty: Bool { current == nil }

  /// Begins a recording of an endpoint, named as in events.
  package init(watcher: Int64, program: String, endpoint: String, boot: Int64) {
    (self.watcher, self.program) = (watcher, program)
    (self.endpoint, self.boot) = (endpoint, boot)
  }

  /// Notes what was found from a moment on; `now` is at or after it.
  package mutating func take(_ finding: WatchedFinding, from began: Moment, now: Moment) {
    if let current, current.state != finding.state {
      let lastSign = current.begin + current.length
      // A state that had begun before the silence is one that somebody saw.
      let isSeen = began.steady.milliseconds - lastSign <= Self.longestSilence.milliseconds
      if isSeen { end(at: began.steady.milliseconds) }
      self.current = nil
      if isSeen {
        open(finding, at: began)
        extend(to: max(lastSign, began.steady.milliseconds))
      }
    }
    if current == nil { open(finding, at: began) }
    live(at: now)
  }

  /// Notes a sign of life.
  package mutating func live(at now: Moment) {
    guard let current else { return }
    let silence = now.steady.milliseconds - current.begin - current.length
    guard silence > Self.longestSilence.milliseconds else {
      return extend(to: now.steady.milliseconds)
    }
    open(
      WatchedFinding(state: current.state, cause: current.cause, interface: current.interface),
      at: now
    )
  }

  /// Forgets the runs that were written.
  package mutating func haveWritten() { unwritten = [] }

  private mutating func open(_ finding: WatchedFinding, at began: Moment) {
    change(
      WatchedRun(
        id: Int64.random(in: 1...Int64.max),
        watcher: watcher,
        program: program,
        endpoint: endpoint,
        state: finding.state,
        cause: finding.cause,
        interface: finding.interface,
        boot: boot,
        begin: began.steady.milliseconds,
        wall: began.wall.milliseconds,
        length: 0
      )
    )
  }

  private mutating func end(at moment: Int64) {
    guard var run = current else { return }
    run.length = max(0, moment - run.begin)
    run.isOver = true
    change(run)
  }

  private mutating func extend(to moment: Int64) {
    guard var run = current else { return }
    run.length = max(run.length, moment - run.begin)
    change(run)
  }

  private mutating func change(_ run: WatchedRun) {
    current = run
    if unwritten.last?.id == run.id { unwritten.removeLast() }
    unwritten.append(run)
    if unwritten.count > Self.mostUnwritten { unwritten.removeFirst() }
  }
}

/// A state with its cause and interface as in events.
package struct WatchedFinding: Sendable, Equatable {
  package var state: WatchedState
  package var cause: String?
  package var interface: String?

  package init(state: WatchedState, cause: String? = nil, interface: String? = nil) {
    (self.state, self.cause, self.interface) = (state, cause, interface)
  }

  /// The state that a change of the network reports.
  package init(_ transition: NetworkTransition) {
    self.init(
      // A state with another word does not exist.
      state: WatchedState(rawValue: transition.verdict.state) ?? .online,
      cause: transition.verdict.causeName,
      interface: transition.interface
    )
  }
}
