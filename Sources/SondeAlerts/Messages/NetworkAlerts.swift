import SondeAsking
package import SondeReachability
import SondeRecords
import SondeSystem
import SondeWeb

/// Makes alerts of the changes of a network, in their order.
package struct NetworkAlerts: Sendable {
  private let host: String
  private var course = NetworkCourse()

  /// The state in which the last watch ended, as long as it lasts.
  private var unended: UnendedState?
  private var isFirst = true

  /// `host` is the name of this machine.
  package init(host: String) { self.host = host }

  /// Continues after an earlier watch of the same endpoint; call it before the first change.
  package mutating func resume(after unended: UnendedState?) { self.unended = unended }

  /// The alert about a change.
  ///
  /// `nil` for being online at the start, unless an earlier watch ended offline or degraded.
  package mutating func alert(for transition: NetworkTransition) -> Alert? {
    var transition = transition
    if let unended {
      if isFirst { course = NetworkCourse(after: unended) }
      if transition.verdict.state != unended.state.rawValue {
        if transition.verdict.isOnline { transition = transition.returning(from: unended) }
        self.unended = nil
      }
    }
    isFirst = false
    guard let event = try? JSON(parsing: transition.event.bytes) else { return nil }
    let at = Timestamp(milliseconds: transition.began.wall.milliseconds)
    let facts = NetworkFacts(event, at: at)
    course.advance(by: facts)
    guard !facts.isOnline || transition.previous != nil else { return nil }
    return Alert(event, host: host, course: course)
  }
}

extension NetworkTransition {
  /// This state as the end of one that an earlier watch saw begin, and nobody all of.
  fileprivate func returning(from unended: UnendedState) -> NetworkTransition {
    var transition = self
    let isDegraded = unended.state == .degraded
    let seen = (isDegraded ? degraded : lost) ?? began
    let beginning = Moment(
      steady: seen.steady - .milliseconds(max(1, unended.watched)),
      wall: .milliseconds(unended.since)
    )
    if isDegraded {
      transition.degraded = beginning
    } else {
      transition.lost = beginning
    }
    transition.previous = previous ?? Verdict(unended)
    transition.interface = interface ?? unended.interface
    transition.isEndUnseen = true
    return transition
  }
}

extension Verdict {
  /// The state in which a watch ended; a cause that has no name here becomes the most general one.
  fileprivate init(_ unended: UnendedState) {
    if let cause = unended.degradedCause {
      self = .degraded(cause)
    } else {
      self = .offline(unended.cause.flatMap(OfflineCause.init) ?? .unreachable)
    }
  }
}
