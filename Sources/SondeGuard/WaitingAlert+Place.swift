import SondeAddresses
import SondeAlerts
import SondeAsking
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

extension [WaitingAlert] {
  /// The events with what is known of their addresses, about which a provider is asked if nobody did,
  /// with some requests at a time and within a time; `nil` for damaged ones.
  func placed(
    by chain: ProviderChain,
    atOnce: Int,
    within wait: Duration
  ) async -> [GuardEvent?] {
    var events = map { GuardEvent($0.event) }
    let addresses = zip(self, events).map { $0.way.contains(.unplaced) ? $1?.address : nil }
    var seen: Set<SubjectKey> = []
    let subjects = addresses.compactMap { $0.map { SubjectKey($0) } }
      .filter { seen.insert($0).inserted }
    guard !subjects.isEmpty else { return events }
    let answers = await withTaskGroup(of: [SubjectKey: RecordBlock].self) { group in
      group.addTask { (try? await chain.answers(about: subjects, atOnce: atOnce)) ?? [:] }
      group.addTask {
        try? await Task.sleep(for: wait)
        return [:]
      }
      let first = await group.next() ?? [:]
      group.cancelAll()
      return first
    }
    for (index, address) in addresses.enumerated() {
      guard let address, let answer = answers[SubjectKey(address)] else { continue }
      events[index]?.place(by: answer)
    }
    return events
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
