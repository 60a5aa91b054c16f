/// A ledger of quotas that several processes share: a row of bytes for each account, which only one
/// of them changes at a time.
///
/// What the bytes mean is not known here: whoever keeps a quota in them decides by a pure value, the
/// same for every ledger.
public protocol QuotaLedger: AnyObject, Sendable {
  /// The random identity of this process in the ledger.
  var holder: UInt64 { get }

  /// The time by which its rows reckon, all processes alike, in whole nanoseconds.
  var now: Duration { get }

  /// Changes the row of an account; no other process changes it at the same time.
  ///
  /// - Parameters:
  ///   - account: Whose quota it is. It may hold a key or token: only a hash of it is kept.
  ///   - body: Makes the change. It may be called again when that has to be repeated, so it must do
  ///     nothing but change the row. Without bytes the row is removed.
  /// - Returns: What the body returned, once the change is made; or why there is none.
  func update<R: Sendable>(
    _ account: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R>

  /// Looks at the row of an account: nothing is made or changed, and nobody waits for it.
  ///
  /// - Parameter account: Whose quota it is.
  /// - Returns: The row; `nil` where the ledger is gone.
  func row(of account: String) async -> LedgerRow?

  /// Looks at the rows of all accounts, as ``row(of:)`` does at one.
  ///
  /// - Returns: The rows, in no order.
  /// - Throws: ``LedgerFault`` where they cannot be read.
  func records() async throws(LedgerFault) -> [LedgerRecord]

  /// Changes a row that ``records()`` gave, as ``update(_:_:)`` does that of an account.
  ///
  /// - Parameters:
  ///   - key: Which row it is; it may be gone by now.
  ///   - body: Makes the change.
  /// - Returns: What the body returned, once the change is made; or why there is none.
  func change<R: Sendable>(
    _ key: LedgerKey,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R>

  /// How often to look whether the ledger still has what it was told; `nil` where it cannot lose that.
  var lookInterval: Duration? { get }

  /// Why nobody may be asked at the moment; `nil` where the ledger is there, or can be done without.
  var outage: LedgerOutage? { get }

  /// The same now, and each time that it changes; of those not read in time, the newest.
  func outages() -> AsyncStream<LedgerOutage?>

  /// Tries now whether the ledger is there.
  ///
  /// - Returns: Why not; `nil` where it is.
  func look() async -> LedgerOutage?

  /// Ends the use of the ledger, within a second.
  func close() async
}

extension QuotaLedger {
  /// A ledger of this machine loses nothing while it is used.
  public var lookInterval: Duration? { nil }

  /// A ledger of this machine is always there.
  public var outage: LedgerOutage? { nil }

  /// A ledger of this machine need not be tried.
  public func look() async -> LedgerOutage? { nil }

  /// A ledger of this machine has none.
  public func outages() -> AsyncStream<LedgerOutage?> { AsyncStream { $0.finish() } }
}

/// What tells a row of a ledger from the others; nobody can tell from it whose row it is.
public struct LedgerKey: Sendable, Hashable {
  let bytes: [UInt8]
}

/// A row of a ledger with what tells it from the others.
public struct LedgerRecord: Sendable {
  /// Which row it is.
  public let key: LedgerKey
  /// The row.
  public let row: LedgerRow
}

/// Why a ledger cannot be read or written.
public struct LedgerFault: Error, Sendable, CustomStringConvertible {
  /// The reason, for a person.
  public let description: String

  /// Makes a fault.
  public init(_ description: String) { self.description = description }
}

/// What came of a change of the ledger.
public enum LedgerUpdate<Result: Sendable>: Sendable {
  /// It is made.
  case made(Result)
  /// There is no ledger to be used: this process is on its own.
  case alone
  /// The ledger is gone, and others may use the quota: nobody may be asked without it.
  case unreachable
  /// The task was cancelled while it waited. The change is made all the same, unless the ledger is
  /// gone: whoever must know does not cancel.
  case cancelled

  /// What the body returned; `nil` where the change is not made.
  public var result: Result? { if case .made(let result) = self { result } else { nil } }
}

/// Why a ledger that machines share is gone.
public struct LedgerOutage: Sendable, Equatable {
  /// Where it should be, without a user.
  public let place: String
  /// Why it cannot be used, for a person.
  public let reason: String
  /// Since when.
  public private(set) var began: ContinuousClock.Instant
  /// Whether it refuses for good: whoever begins with it has nothing to wait for.
  public let isRefusal: Bool
  /// Whether it continues an outage that seemed to be over; a continued outage is not reported again.
  public private(set) var isContinued = false

  /// Describes an outage.
  public init(
    place: String,
    reason: String,
    began: ContinuousClock.Instant,
    isRefusal: Bool = false
  ) {
    (self.place, self.reason, self.began, self.isRefusal) = (place, reason, began, isRefusal)
  }

  /// The same as the continuation of an earlier one.
  func continuing(_ earlier: LedgerOutage) -> LedgerOutage {
    var outage = self
    (outage.began, outage.isContinued) = (earlier.began, true)
    return outage
  }
}

/// What the clocks of a ledger show at one moment.
public struct LedgerTime: Sendable, Equatable {
  /// The time that all users of the ledger agree about, in whole nanoseconds; it may be a little later.
  public let now: Duration
  /// By how much it may be later.
  public var lag: Duration = .zero
  /// What tells one run of that clock from another; 0 where that cannot be told.
  public let run: UInt64
  /// The time since 1970 UTC.
  public let wall: Duration
}

/// One row of a ledger while it is being changed.
public struct LedgerRow: Sendable {
  /// What the row holds; empty where it is absent or was damaged.
  public var bytes: [UInt8]

  /// The moment of the change.
  public let time: LedgerTime

  /// When what the row had held was lost, at the latest, if it was: others may have used the quota, and
  /// nobody knows.
  public let lost: Duration?

  /// Until when nothing may be sent, where the ledger was empty a moment ago: it may have been emptied,
  /// and those who know what was spent tell it by then.
  public let quietUntil: Duration?

  private let liveness: @Sendable (UInt64) -> Bool

  init(
    bytes: [UInt8],
    time: LedgerTime,
    lost: Duration? = nil,
    quietUntil: Duration? = nil,
    liveness: @escaping @Sendable (UInt64) -> Bool
  ) {
    (self.bytes, self.time, self.liveness) = (bytes, time, liveness)
    (self.lost, self.quietUntil) = (lost, quietUntil)
  }

  /// Whether the process with this ``QuotaLedger/holder`` may be alive.
  public func isAlive(_ holder: UInt64) -> Bool { liveness(holder) }
}
