import SondeAsking
package import SondeReachability
import SondeRecords
import SondeSystem
import SondeWeb

/// Makes alerts of the changes of a network, in their order.
package struct NetworkAlerts: Sendable {
  private let host: String
  private var course = NetworkCourse()

  /// `host` is the name of this machine.
  package init(host: String) { self.host = host }

  /// The alert about a change; `nil` for being online at the start.
  package mutating func alert(for transition: NetworkTransition) -> Alert? {
    guard let event = try? JSON(parsing: transition.event.bytes) else { return nil }
    let at = Timestamp(milliseconds: transition.began.wall.milliseconds)
    let facts = NetworkFacts(event, at: at)
    if transition.isEndUnseen, let previous = transition.previous, let lost = transition.lost {
      let start = Timestamp(milliseconds: lost.wall.milliseconds)
      let state = NetworkCourse.State(
        NetworkFacts.offline,
        since: start,
        cause: previous.causeName,
        interface: transition.interface,
        endpoint: transition.endpoint
      )
      return Alert(event, host: host, course: NetworkCourse(estimatedEndOf: state, left: start))
    }
    course.advance(by: facts)
    guard !facts.isOnline || transition.previous != nil else { return nil }
    return Alert(event, host: host, course: course)
  }
}
