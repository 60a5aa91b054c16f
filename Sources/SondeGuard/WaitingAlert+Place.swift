import SondeAddresses
import SondeAlerts
import SondeRecords
import SondeSystem
import SondeWeb

extension WaitingAlert {
  /// The longest wait for an answer about the address of an alert.
  static let patience = Duration.seconds(10)

  /// The wait that each may take in any case.
  private static let shortestWait = Duration.seconds(1)

  /// How long an answer may still be waited for, so that alerts before it do not hold it up longer.
  var wait: Duration {
    guard let event = GuardEvent(event) else { return Self.shortestWait }
    let raised = Alert(event.json, host: "").at.milliseconds
    let age = Duration.milliseconds(Timestamp.now.milliseconds - raised)
    // The clock may have been set since.
    return max(Self.shortestWait, min(Self.patience, Self.patience - age))
  }
}

/// Alerts in their order, with what must be asked about their addresses.
struct AlertPart {
  var alerts: [WaitingAlert] = []
  /// Without duplicates.
  var subjects: [SubjectKey] = []
}

extension [WaitingAlert] {
  /// These alerts in parts, each with no more to ask about than fits into a request.
  func parts(of limit: Int) -> [AlertPart] {
    var (parts, seen): ([AlertPart], Set<SubjectKey>) = ([AlertPart()], [])
    for alert in self {
      let new = alert.subject.flatMap { seen.contains($0) ? nil : $0 }
      if new != nil, parts[parts.count - 1].subjects.count >= limit {
        parts.append(AlertPart())
        seen = []
      }
      parts[parts.count - 1].alerts.append(alert)
      guard let new else { continue }
      parts[parts.count - 1].subjects.append(new)
      seen.insert(new)
    }
    return parts
  }

  /// The events with what is known of their addresses; `nil` for damaged ones.
  func placed(by answers: [SubjectKey: RecordBlock]) -> [GuardEvent?] {
    map { alert in
      var event = GuardEvent(alert.event)
      if let answer = alert.subject.flatMap({ answers[$0] }) { event?.place(by: answer) }
      return event
    }
  }
}

extension WaitingAlert {
  /// What is to be asked; `nil` if it was asked, or there is nothing to ask about.
  fileprivate var subject: SubjectKey? {
    guard way.contains(.unplaced) else { return nil }
    return GuardEvent(event)?.address.map { SubjectKey($0) }
  }
}

extension GuardEvent {
  /// The address of the last hit; `nil` for one with a zone.
  fileprivate var address: Address? {
    guard let text = json["ip"]?.text,
      case .address(let address, zone: nil) = ListItem.parse(operand: text.utf8Span.span)
    else { return nil }
    return address
  }
}
