import SondeRecords
package import SondeSystem
package import SondeWeb

/// An alert with everything that a message about it needs, also days later.
///
/// Printing it is no way to send it: ``WebhookTarget`` makes a request of it.
package struct Alert: Sendable, Equatable {
  /// What an alert is about.
  package enum Kind: Sendable {
    /// A change of the network's state: the event `network`.
    case network
    /// A change of a watched address: the event `watch`.
    case watchlist
    /// Hits that a guard has seen: the events `alert` and `flood`.
    case hits
    /// A test of the alerts: the event `test`.
    case test
  }

  /// What it is about; that of an unknown event is a test's.
  package let kind: Kind

  /// The name of the machine that raised it.
  package let host: String

  /// The event, an object with `event` and `at`.
  package let event: JSON

  /// The states around a change of the network; `nil` for other alerts.
  package let course: NetworkCourse?

  /// The time of the event, in its member `at`; 1970 without one.
  package let at: Timestamp

  /// Creates an alert of an event; without a `course`, that of the network is derived from it.
  package init(_ event: JSON, host: String, course: NetworkCourse? = nil) {
    (self.event, self.host) = (event, host)
    at = event["at"]?.text.flatMap { Timestamp(event: $0) } ?? Timestamp(milliseconds: 0)
    switch event["event"]?.text {
    case "network":
      kind = .network
      self.course = course ?? NetworkCourse(guessedFrom: NetworkFacts(event, at: at))
    case "watch": (kind, self.course) = (.watchlist, nil)
    case "alert", "flood": (kind, self.course) = (.hits, nil)
    default: (kind, self.course) = (.test, nil)
    }
  }

  /// Creates an alert of an event in JSON, without a line end; `nil` if it is not an object.
  package init?(event: [UInt8], host: String, course: NetworkCourse? = nil) {
    guard let event = try? JSON(parsing: event), event.members != nil else { return nil }
    self.init(event, host: host, course: course)
  }

  /// Creates the alert that tests the ways that alerts take.
  package init(testAt moment: Timestamp, host: String) {
    let event: JSON = ["event": "test", "at": .string(moment.withMilliseconds)]
    self.init(event, host: host)
  }

  /// The members of a change of the network; `nil` for other alerts.
  var network: NetworkFacts? { kind == .network ? NetworkFacts(event, at: at) : nil }
}

// MARK: - In a queue

extension Alert {
  /// The alert as a queue stores it: a JSON object with `host`, `event` and `course`.
  package var stored: [UInt8] {
    var members: [(String, JSON)] = [("host", .string(host)), ("event", event)]
    if let course { members.append(("course", course.json)) }
    return JSON.object(members).bytes
  }

  /// Reads what ``stored`` has written, or an event alone, as older versions stored it.
  ///
  /// `host` is the name for the latter. `nil` if it is neither.
  package init?(stored: [UInt8], host: String) {
    guard let json = try? JSON(parsing: stored), json.members != nil else { return nil }
    guard let event = json["event"], event.members != nil else {
      guard json["event"]?.text != nil else { return nil }
      self.init(json, host: host)
      return
    }
    let course = json["course"].flatMap { NetworkCourse($0) }
    self.init(event, host: json["host"]?.text ?? host, course: course)
  }
}

extension Timestamp {
  /// Parses the format of ``withMilliseconds``, or that without them; `nil` for any other text.
  init?(event text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 24 else {
      guard let moment = Timestamp(wholeSeconds: bytes.span) else { return nil }
      self = moment
      return
    }
    let seconds = Array(bytes.prefix(19)) + [UInt8(ascii: "Z")]
    guard bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
      let moment = Timestamp(wholeSeconds: seconds.span),
      let rest = UInt16(String(decoding: bytes[20..<23], as: UTF8.self))
    else { return nil }
    self.init(milliseconds: moment.milliseconds + Int64(rest))
  }
}
