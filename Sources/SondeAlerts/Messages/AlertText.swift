import SondeReachability
import SondeRecords
import SondeSystem
import SondeWeb

/// An alert in words: one line without control characters.
struct AlertText: Sendable, Equatable {
  /// The line up to its details: `gate.example: network lost`.
  let title: String

  /// The whole line, with times in UTC.
  let text: String

  /// The words for an alert.
  init(_ alert: Alert) {
    let (title, details) =
      switch alert.kind {
      case .network: Self.words(for: alert.network, alert.course ?? NetworkCourse(), at: alert.at)
      case .watchlist: Self.words(forWatched: alert.event)
      case .hits: HitWords(alert).words
      case .test: ("test of alerts", " at \(alert.at.forPerson)")
      }
    self.title = escapedForPerson("\(alert.host): \(title)")
    text = self.title + escapedForPerson(details)
  }
}

// MARK: - The network

extension AlertText {
  private static func words(
    for facts: NetworkFacts?,
    _ course: NetworkCourse,
    at moment: Timestamp
  ) -> (String, String) {
    guard let facts, !facts.isOnline else { return words(forEndOf: course, facts, at: moment) }
    let since = (course.current?.since ?? moment).forPerson
    guard facts.state == NetworkFacts.degraded else {
      let place = facts.cause.map { words(forPlaceOf: $0, facts.interface, facts.endpoint) }
      return ("network lost", "\(inBrackets(place)) since \(since)")
    }
    return ("network degraded", "\(inBrackets(facts.quality)) since \(since)")
  }

  private static func words(
    forEndOf course: NetworkCourse,
    _ facts: NetworkFacts?,
    at moment: Timestamp
  ) -> (String, String) {
    guard let ended = course.ended else { return ("network back", " since \(moment.forPerson)") }
    let isDegraded = ended.name == NetworkFacts.degraded
    let measured = isDegraded ? facts?.degradedTime : facts?.downTime
    let byClock = Duration.milliseconds(max(0, moment.milliseconds - ended.since.milliseconds))
    let time = (measured ?? byClock).forPerson
    let after = " after \(ended.isEstimated ? "at least " : "")\(time)"
    let since = "since \(ended.since.forPerson)"
    guard !isDegraded else {
      return ("network good again", "\(after)\(inBrackets(ended.cause)), degraded \(since)")
    }
    let place = ended.cause.map { words(forPlaceOf: $0, ended.interface, ended.endpoint) }
    return ("network back", "\(after)\(inBrackets(place)), lost \(since)")
  }

  /// Where the network is lost: the interface of a local cause, otherwise the endpoint.
  private static func words(forPlaceOf cause: String, _ interface: String?, _ endpoint: String)
    -> String
  {
    guard let layer = OfflineCause(rawValue: cause), layer <= .noRoute else {
      return "\(cause): \(endpoint)"
    }
    return cause + (interface.map { " on \($0)" } ?? "")
  }

  private static func inBrackets(_ text: String?) -> String { text.map { " (\($0))" } ?? "" }
}

extension NetworkFacts {
  /// How bad a degraded network is: `lossy: 35 % lost`, `slow: 412 ms`.
  fileprivate var quality: String? {
    let measured: String? =
      switch cause {
      case "lossy": loss.map { "\(rounded($0 * 100)) % lost" }
      case "slow": connectTime.map { "\(rounded($0)) ms" }
      default: nil
      }
    return cause.map { $0 + (measured.map { ": \($0)" } ?? "") }
  }

  private func rounded(_ number: Double) -> Int { Int(exactly: number.rounded()) ?? 0 }
}

// MARK: - The watchlist

extension AlertText {
  private static func words(forWatched event: JSON) -> (String, String) {
    let changes = (event["changes"]?.elements ?? []).filter { $0["at"] == event["at"] }
    let texts = changes.map { change in
      let value: (String) -> String = { change[$0]?.text ?? "nothing" }
      return "\(value("field")) \(value("from")) to \(value("to"))"
    }
    let list = texts.isEmpty ? "" : ": " + texts.joined(separator: ", ")
    let details = " (\(event["address"]?.text ?? "")) changed" + list
    return (event["name"]?.text ?? "", details)
  }
}

extension Timestamp {
  /// The moment for a person, rounded down to seconds: `2026-11-23 03:14:07 UTC`.
  var forPerson: String {
    let text = wholeSeconds
    return "\(text.prefix(10)) \(text.dropFirst(11).dropLast()) UTC"
  }
}
