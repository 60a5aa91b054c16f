import Synchronization

/// Which run of this process sends the next request where several share a quota.
///
/// Runs of a later rank wait. Of one rank, the next request goes to the user who was served longest
/// ago, then to that one of the user's runs.
public final class RequestTurns: Sendable {
  /// Who is served first.
  public enum Rank: Int, Sendable {
    /// Questions of people, who wait for the answer.
    case lookUps
    case scans
  }

  fileprivate typealias ID = UInt64

  fileprivate struct Party {
    let user: String
    let rank: Rank
    let call: @Sendable () -> Void
    /// The number of the last turn; 0 before the first.
    var served: UInt64 = 0
    /// Whether it would send a request.
    var isWaiting = false
  }

  /// The parties that share one quota.
  fileprivate struct Line {
    var parties: [ID: Party] = [:]
    /// The last turns of the users who have a party.
    var users: [String: UInt64] = [:]
    /// The party that was called last, unless its turn is over.
    var called: ID?
    /// When the quota, which is spent, permits the next request; `nil` if it was not denied.
    var spentUntil: Duration?
    /// The parties that wait for that and have not been called since.
    var untold: Set<ID> = []
  }

  fileprivate struct State {
    var lines: [String: Line] = [:]
    var lastID: ID = 0
    var lastTurn: UInt64 = 0
  }

  fileprivate let state = Mutex(State())

  /// Creates turns without parties.
  public init() {}

  /// Adds a party to those that share a quota, until the turn is released.
  ///
  /// `call` is called, without any lock, when its turn has come by what others did.
  func turn(
    at quota: String,
    of user: String,
    _ rank: Rank,
    call: @escaping @Sendable () -> Void
  ) -> RequestTurn {
    let id = state.withLock { state in
      state.lastID += 1
      state.lines[quota, default: Line()].parties[state.lastID] = Party(
        user: user,
        rank: rank,
        call: call
      )
      return state.lastID
    }
    return RequestTurn(self, quota, id)
  }
}

/// The place of one party among those that share a quota.
final class RequestTurn: Sendable {
  private let turns: RequestTurns
  private let quota: String
  private let id: RequestTurns.ID

  fileprivate init(_ turns: RequestTurns, _ quota: String, _ id: RequestTurns.ID) {
    (self.turns, self.quota, self.id) = (turns, quota, id)
  }

  deinit {
    let call = turns.state.withLock { state in
      guard let party = state.lines[quota]?.parties.removeValue(forKey: id) else {
        return Optional<@Sendable () -> Void>.none
      }
      let others = state.lines[quota]?.parties.values
      if others?.contains(where: { $0.user == party.user }) != true {
        state.lines[quota]?.users[party.user] = nil
      }
      if others?.isEmpty != false { state.lines[quota] = nil }
      return state.lines[quota]?.takeCall()
    }
    call?()
  }

  /// Whether the next request is this party's, which waits for it from now on.
  var isNext: Bool {
    turns.state.withLock { state in
      state.lines[quota]?.parties[id]?.isWaiting = true
      return state.lines[quota]?.next == id
    }
  }

  /// Whether others wait, so that it takes one turn at a time.
  var isShared: Bool {
    turns.state.withLock { state in
      state.lines[quota]?.parties.contains { $0.key != id && $0.value.isWaiting } ?? false
    }
  }

  /// Ends its wait.
  func rest() { turns.state.withLock { $0.lines[quota]?.parties[id]?.isWaiting = false } }

  /// Records that it has been permitted a request.
  func wasServed() {
    turns.state.withLock { state in
      state.lastTurn += 1
      guard let user = state.lines[quota]?.parties[id]?.user else { return }
      state.lines[quota]?.parties[id]?.served = state.lastTurn
      state.lines[quota]?.users[user] = state.lastTurn
    }
  }

  /// When the quota permits the next request, as the last party that was denied one learnt.
  var spentUntil: Duration? { turns.state.withLock { $0.lines[quota]?.spentUntil } }

  /// Records that the quota, which all parties wait for, denies requests until a moment.
  func wasDenied(until moment: Duration) {
    turns.state.withLock { state in
      guard var line = state.lines[quota], line.spentUntil != moment else { return }
      line.spentUntil = moment
      line.untold = Set(line.parties.filter { $0.key != id && $0.value.isWaiting }.keys)
      state.lines[quota] = line
    }
  }

  /// Calls the party whose turn has come, and those that wait for a quota without knowing, unless
  /// that has been done.
  func pass() {
    let calls = turns.state.withLock { state in
      guard var line = state.lines[quota] else { return [@Sendable () -> Void]() }
      defer { state.lines[quota] = line }
      let others = line.untold.compactMap { line.parties[$0]?.call }
      line.untold = []
      return others + (line.takeCall().map { [$0] } ?? [])
    }
    for call in calls { call() }
  }
}

extension RequestTurns.Line {
  /// The party whose turn it is; `nil` if none waits.
  fileprivate var next: RequestTurns.ID? {
    let order = parties.lazy.filter(\.value.isWaiting).map { id, party in
      (id: id, key: (party.rank.rawValue, users[party.user] ?? 0, party.served, id))
    }
    return order.min { $0.key < $1.key }?.id
  }

  fileprivate mutating func takeCall() -> (@Sendable () -> Void)? {
    let next = next
    defer { called = next }
    return next == called ? nil : next.flatMap { parties[$0]?.call }
  }
}
