/// The order in which passwords are hashed: one at a time, the lowest rank first, and of equal ranks
/// who came first; 16 wait.
struct HashOrder: Sendable {
  /// Who waits.
  typealias Ticket = UInt64

  /// What to do about one who came.
  enum Arrival: Equatable {
    /// It is its turn.
    case begins
    /// It waits; another one of a higher rank that waited may have to give way.
    case waits(displacing: Ticket?)
    /// Too many wait already.
    case refused
  }

  private struct Place {
    let ticket: Ticket
    let rank: Int
  }

  private static let mostWaiting = 16

  /// In the order of their turns.
  private var waiting: [Place] = []
  private(set) var isBusy = false

  /// Takes one who came.
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

  /// Ends a turn.
  ///
  /// - Returns: Whose turn it is now.
  mutating func finish() -> Ticket? {
    guard !waiting.isEmpty else {
      isBusy = false
      return nil
    }
    return waiting.removeFirst().ticket
  }

  /// Lets one who waits go.
  ///
  /// - Returns: Whether it waited.
  mutating func leave(_ ticket: Ticket) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return false }
    waiting.remove(at: index)
    return true
  }
}
