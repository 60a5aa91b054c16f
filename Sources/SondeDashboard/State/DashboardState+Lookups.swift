public import SondeAddresses
import SondeRecords
import SondeSQLite
public import SondeSystem
import Synchronization

/// A stored look-up of a user.
public struct KeptLookup: Sendable, Equatable {
  /// Its position among the user's look-ups.
  public var number: Int64

  /// The record as a JSON object.
  public let record: [UInt8]
}

/// Look-ups to be written; concurrent ones share a transaction.
final class PendingLookups: Sendable {
  /// A look-up to be stored.
  struct Lookup: Sendable {
    let user: String
    let address: Address
    let at: Timestamp
    let rank: Int
    let record: [UInt8]
  }

  private let state = Mutex<[Lookup]>([])

  func append(_ lookup: Lookup) { state.withLock { $0.append(lookup) } }

  func takeAll() -> [Lookup] {
    state.withLock { lookups in
      defer { lookups = [] }
      return lookups
    }
  }
}

extension DashboardState {
  /// Stores a look-up as the newest one of a user, and returns when it is written.
  ///
  /// A stored answer for the same address is kept if the new one is from a provider further down
  /// the list, by `rank`.
  nonisolated func keep(
    _ address: Address,
    of user: String,
    _ record: [UInt8],
    rank: Int,
    at moment: Timestamp = .now
  ) async throws(StateError) {
    lookups.append(
      PendingLookups.Lookup(user: user, address: address, at: moment, rank: rank, record: record)
    )
    try await writeLookups()
  }

  private func writeLookups() throws(StateError) {
    let pending = lookups.takeAll()
    // A concurrent call has already written this one.
    guard !pending.isEmpty else { return }
    try perform { database throws(SQLiteError) in
      let insertion = try database.statement(
        """
        INSERT INTO lookups (user, ip, number, asked, rank, record)
        VALUES (?1, ?2, (SELECT coalesce(max(number), 0) + 1 FROM lookups WHERE user = ?1), ?3, ?4, ?5)
        ON CONFLICT (user, ip) DO UPDATE SET number = excluded.number, asked = excluded.asked,
          rank = iif(excluded.rank <= rank, excluded.rank, rank),
          record = iif(excluded.rank <= rank, excluded.record, record)
        """
      )
      let use = try database.statement(
        """
        INSERT INTO uses (user, minute, lookups) VALUES (?1, ?2, 1)
        ON CONFLICT (user, minute) DO UPDATE SET lookups = lookups + 1
        """
      )
      for lookup in pending {
        use.bind(1, lookup.user)
        use.bind(2, lookup.at.minute)
        try use.run()
        insertion.bind(1, lookup.user)
        insertion.bind(2, "\(lookup.address)")
        insertion.bind(3, lookup.at.milliseconds)
        insertion.bind(4, Int64(lookup.rank))
        insertion.bind(5, lookup.record)
        try insertion.run()
      }
    }
  }

  /// The look-ups of a user, the newest first, or those before `number`.
  ///
  /// - Returns: The look-ups, and ``KeptLookup/number`` of the last one if there are more.
  /// - Throws: ``StateError``.
  public func lookups(
    of user: String = "",
    before number: Int64? = nil,
    limit: Int
  ) throws(StateError) -> (items: [KeptLookup], next: Int64?) {
    try page(
      """
      SELECT number, record FROM lookups WHERE user = ? AND number < ?
      ORDER BY number DESC LIMIT ?
      """,
      of: user,
      before: number,
      limit: limit
    ) { KeptLookup(number: $0.number(0), record: $0.bytes(1) ?? []) }
  }

  /// The number of look-ups of each user since a moment, to the minute; also those that have been
  /// deleted, and repeated ones.
  ///
  /// - Throws: ``StateError``.
  public func lookups(since moment: Timestamp) throws(StateError) -> [String: Int] {
    try perform { database throws(SQLiteError) in
      let rows = try database.rows(
        "SELECT user, sum(lookups) FROM uses WHERE minute > ? GROUP BY user",
        [.number(moment.minute)]
      ) { ($0.text(0), Int($0.number(1))) }
      return Dictionary(rows) { $1 }
    }
  }

  /// Forgets how many look-ups users have made, of one or of all before a moment.
  func forgetUse(of user: String? = nil, before moment: Timestamp) throws(StateError) {
    try run(
      "DELETE FROM uses WHERE minute < ?2 AND (?1 IS NULL OR user = ?1)",
      with: [.text(user), .number(moment.minute)]
    )
  }

  /// Deletes the look-ups of a user, of one address or all, and returns their number.
  ///
  /// - Throws: ``StateError``.
  @discardableResult
  public func deleteLookups(
    of user: String = "",
    _ address: Address? = nil
  ) throws(StateError) -> Int {
    try perform { database throws(SQLiteError) in
      try database.run(
        "DELETE FROM lookups WHERE user = ?1 AND (?2 IS NULL OR ip = ?2)",
        [.text(user), .text(address.map { "\($0)" })]
      )
    }
  }
}

extension Timestamp {
  /// Whole minutes since 1970 UTC.
  fileprivate var minute: Int64 { milliseconds / 60_000 }
}
