import SondeAddresses
package import SondeAsking
import SondeRecords
import SondeWeb

extension WaitingAlert {
  /// The longest wait for an answer about the address of an alert.
  private static let patience = Duration.seconds(10)

  /// The event with what is known of its address, about which a provider is asked if nobody did;
  /// `nil` if it is damaged.
  package func placed(by chain: ProviderChain) async -> GuardEvent? {
    guard var event = GuardEvent(self.event) else { return nil }
    guard way.contains(.unplaced), let address = event.address else { return event }
    let answer = await withTaskGroup(of: RecordBlock?.self) { group in
      group.addTask { try? await chain.answer(to: address) }
      group.addTask {
        try? await Task.sleep(for: Self.patience)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    if let answer { event.place(by: answer) }
    return event
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
