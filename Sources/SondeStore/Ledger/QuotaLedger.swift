/// A ledger of quotas shared by several processes, with a row of bytes per account that one process
/// changes at a time.
///
/// The meaning of the bytes is unknown to the ledger; a pure value interprets them, the same for
/// all ledgers.
public protocol QuotaLedger: AnyObject, Sendable {
  /// The random identity of this process in the ledger.
  var holder: UInt64 { get }

  /// The time used by the rows, the same for all processes, in whole nanoseconds.
  var now: Duration { get }

  /// Changes the row of an account, excluding concurrent changes.
  ///
  /// - Parameters:
  ///   - account: The account, which may contain a key or token: only a hash of it is stored.
  ///   - body: Changes the row. It may be called again if the change must be repeated, so it must
  ///     have no other effect. An empty row is removed.
  /// - Returns: The result of the body after the change, or why there is none.
  func update<R: Sendable>(
    _ account: String,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R>

  /// Reads the row of an account without creating, changing or locking anything; `nil` if the
  /// ledger is unavailable.
  func row(of account: String) async -> LedgerRow?

  /// Reads the rows of all accounts, unordered, like ``row(of:)``.
  func records() async throws(LedgerFault) -> [LedgerRecord]

  /// Changes a row from ``records()``, which may have been removed, like ``update(_:_:)``.
  func change<R: Sendable>(
    _ key: LedgerKey,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R>

  /// How often to check whether the ledger has lost its data; `nil` if it cannot.
  var lookInterval: Duration? { get }

  /// Why no requests may be sent at the moment; `nil` if the ledger is available or not required.
  var outage: LedgerOutage? { get }

  /// The current outage and its changes; of unread ones, only the newest is kept.
  func outages() -> AsyncStream<LedgerOutage?>

  /// Checks now whether the ledger is available; `nil` if it is.
  func look() async -> LedgerOutage?

  /// Closes the ledger within a second.
  func close() async
}

extension QuotaLedger {
  /// `nil`: a local ledger cannot lose data while it is used.
  public var lookInterval: Duration? { nil }

  /// `nil`: a local ledger is always available.
  public var outage: LedgerOutage? { nil }

  /// `nil`: a local ledger is always available.
  public func look() async -> LedgerOutage? { nil }

  /// Empty: a local ledger is always available.
  public func outages() -> AsyncStream<LedgerOutage?> { AsyncStream { $0.finish() } }
}

/// An identifier of a ledger's row that does not reveal the account.
public struct LedgerKey: Sendable, Hashable { let bytes: [UInt8] }

/// A row of a ledger with its identifier.
public struct LedgerRecord: Sendable {
  /// The identifier.
  public let key: LedgerKey
  /// The row.
  public let row: LedgerRow
}

/// The reason why a ledger cannot be read or written.
public struct LedgerFault: Error, Sendable, CustomStringConvertible {
  /// The reason, in plain words.
  public let description: String

  /// Creates a fault.
  public init(_ description: String) { self.description = description }
}

/// The result of a change of the ledger.
public enum LedgerUpdate<Result: Sendable>: Sendable {
  /// The change was made.
  case made(Result)
  /// There is no usable ledger: this process works without it.
  case alone
  /// The ledger is unavailable, and others may use the quota: no requests may be sent.
  case unreachable
  /// The task was cancelled while it waited. The change is made nevertheless, unless the ledger is
  /// unavailable.
  case cancelled

  /// The result of the body; `nil` if the change was not made.
  public var result: Result? { if case .made(let result) = self { result } else { nil } }
}

/// The reason why a shared ledger is unavailable.
public struct LedgerOutage: Sendable, Equatable {
  /// Its location, without a user name.
  public let place: String
  /// Why it is unusable, in plain words.
  public let reason: String
  /// The start of the outage.
  public private(set) var began: ContinuousClock.Instant
  /// Whether it refuses permanently, so that waiting at the start of a run is useless.
  public let isRefusal: Bool
  /// Whether it continues an outage that seemed to be over, and so is not reported again.
  public private(set) var isContinued = false

  /// Creates an outage.
  public init(
    place: String,
    reason: String,
    began: ContinuousClock.Instant,
    isRefusal: Bool = false
  ) {
    (self.place, self.reason, self.began, self.isRefusal) = (place, reason, began, isRefusal)
  }

  /// A copy that continues an earlier outage.
  func continuing(_ earlier: LedgerOutage) -> LedgerOutage {
    var outage = self
    (outage.began, outage.isContinued) = (earlier.began, true)
    return outage
  }
}

/// The readings of a ledger's clocks at one moment.
public struct LedgerTime: Sendable, Equatable {
  /// The time used by all users of the ledger, in whole nanoseconds; it may be slightly later.
  public let now: Duration
  /// By how much it may be later.
  public var lag: Duration = .zero
  /// The identifier of one run of that clock; 0 if unknown.
  public let run: UInt64
  /// The time since 1970 UTC.
  public let wall: Duration
}

/// A row of a ledger during a change.
public struct LedgerRow: Sendable {
  /// The content; empty if it is missing or damaged.
  public var bytes: [UInt8]

  /// The time of the change.
  public let time: LedgerTime

  /// The latest possible moment at which the content was lost, if it was: others may have used the
  /// quota since.
  public let lost: Duration?

  /// Until when nothing may be sent after the ledger was found empty.
  ///
  /// It may have been emptied, and processes that know what was spent restore it by then.
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

  /// Whether the process with a ``QuotaLedger/holder`` may be alive.
  public func isAlive(_ holder: UInt64) -> Bool { liveness(holder) }
}
