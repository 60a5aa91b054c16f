/// The order in which passwords are hashed: one at a time, by rank, then in order of arrival; at
/// most 16 wait.
struct HashOrder: Sendable {
  /// An identifier of a waiting password.
  typealias Ticket = UInt64

  /// The decision about a new password.
  enum Arrival: Equatable {
    case begins
    /// It waits; the one displaced, if any, is refused.
    case waits(displacing: Ticket?)
    case refused
  }

  private struct Place {
    let ticket: Ticket
    let rank: Int
  }

  private static let mostWaiting = 16
  private var waiting: [Place] = []
  private(set) var isBusy = false

  mutating func arrive(_ ticket: Ticket, rank: Int) -> Arrival {
    guard isBusy else {
      isBusy = true
      return .begins
    }
    var displaced: Ticket?
    if waiting.count >= Self.mostWaiting {
      guard let last = waiting.last, last.rank > rank else { return .refused }
      displaced = last.ticket
      waiting.removeLast()
    }
    let index = waiting.firstIndex { $0.rank > rank } ?? waiting.endIndex
    waiting.insert(Place(ticket: ticket, rank: rank), at: index)
    return .waits(displacing: displaced)
  }

  /// Ends a turn and returns the next one, if any.
  mutating func finish() -> Ticket? {
    guard !waiting.isEmpty else {
      isBusy = false
      return nil
    }
    return waiting.removeFirst().ticket
  }

  /// Removes a waiting password; false if it was not waiting.
  mutating func leave(_ ticket: Ticket) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return false }
    waiting.remove(at: index)
    return true
  }
}
