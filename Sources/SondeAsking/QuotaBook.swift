import SondeProviders
import SondeRecords
public import SondeStore
public import SondeSystem

/// The windows in a ledger of quotas, for displaying or resetting them.
public struct QuotaBook: Sendable {
  /// The name for rows of an earlier version, which do not contain one.
  public static let unknown = "unknown"

  /// One window of a provider.
  public struct Window: Sendable, Equatable {
    /// The provider or registry.
    public let provider: String
    /// The kind of requests and the length of the window.
    public let window: String
    /// Requests that are or may be spent; `nil` if no window is open.
    public let used: Int?
    /// Requests that may be sent; `nil` if unknown.
    public let left: Int?
    /// Until when that applies; `nil` if there is no wait.
    public let until: Timestamp?
    /// The reason.
    public let why: String
  }

  private let ledger: any QuotaLedger

  /// Creates a book of a ledger.
  public init(_ ledger: any QuotaLedger) { self.ledger = ledger }

  /// The windows with any information, ordered by provider.
  ///
  /// - Throws: `LedgerFault` if the ledger cannot be read.
  public func windows() async throws(LedgerFault) -> [Window] {
    try await ledger.records().compactMap { Window($0.row) }.sorted { left, right in
      let order = (Self.place(of: left.provider), Self.place(of: right.provider))
      return order.0 == order.1
        ? (left.provider, left.window) < (right.provider, right.window) : order.0 < order.1
    }
  }

  /// Resets the windows of a provider, and rows of an earlier version without a name.
  ///
  /// - Parameter provider: Its name.
  /// - Returns: The number of rows; `nil` if the name is unknown.
  /// - Throws: `LedgerFault` if the ledger cannot be read or written.
  public func reset(_ provider: String) async throws(LedgerFault) -> Int? {
    let records = try await ledger.records()
    let names = records.map { QuotaName(in: $0.row) }
    let isKnown = Self.names.contains(provider) || names.contains { $0?.provider == provider }
    guard isKnown || provider == Self.unknown && names.contains(nil) else { return nil }
    var count = 0
    for (record, name) in zip(records, names) where name.map({ $0.provider == provider }) ?? true {
      let change = await ledger.change(record.key) { row in row.bytes = row.forgotten }
      guard change.result != nil else {
        let reason = ledger.outage.map { "\($0.place): \($0.reason)" }
        throw LedgerFault(reason ?? "the quotas cannot be written")
      }
      if name != nil || provider == Self.unknown { count += 1 }
    }
    return count
  }

  /// The names that may have a window.
  public static var names: [String] {
    Provider.all.filter { $0.service != nil }.map(\.name) + Registry.regional.map(\.name)
      + WebService.all.map(\.name)
  }

  private static func place(of name: String) -> Int { names.firstIndex(of: name) ?? names.count }
}

extension QuotaName {
  /// Reads the name in a row; `nil` for one of an earlier version, or a damaged one.
  fileprivate init?(in row: LedgerRow) {
    guard let text = SharedQuota.name(in: row.bytes), !text.isEmpty else { return nil }
    self.init(text)
  }
}

extension LedgerRow {
  /// The bytes of a reset row, which only contain the name.
  ///
  /// The row is kept, since a shared server treats a missing one as lost, which causes a wait.
  fileprivate var forgotten: [UInt8] {
    SharedQuota(
      bytes: [],
      start: Quota(allowance: nil),
      name: SharedQuota.name(in: bytes) ?? "",
      at: ClockReading(time)
    ).bytes
  }
}

extension QuotaBook.Window {
  /// Creates the windows of a row; `nil` if it has no information.
  fileprivate init?(_ row: LedgerRow) {
    let name = QuotaName(in: row)
    let start = name?.start ?? Quota(allowance: nil)
    let quota = SharedQuota(lookingAt: row.bytes, start, at: ClockReading(row.time)).quota
    guard !quota.isBlank else { return nil }
    let standing = quota.standing(at: row.time.now)
    provider = name?.provider ?? QuotaBook.unknown
    window = Self.words(quota.allowance, name)
    (used, left) = (standing.used, standing.left)
    until = standing.end.map { Timestamp(roundingUp: row.time.wall + ($0 - row.time.now)) }
    why = Self.words(standing.reason)
  }

  private static func words(_ allowance: Allowance?, _ name: QuotaName?) -> String {
    let isOfBatches = name?.form == .batch
    let requests = isOfBatches ? "batches" : "requests"
    let request = isOfBatches ? "batch" : "request"
    let limit = allowance.map {
      "\($0.requests) \($0.requests == 1 ? request : requests) \($0.period.asWindow)"
    }
    return (limit ?? "\(requests), no known limit") + (name?.hasKey == true ? ", by key" : "")
  }

  private static func words(_ reason: Quota.Standing.Reason) -> String {
    switch reason {
    case .spentForPeriod: "the provider said that the day or month is spent"
    case .refused: "the provider said that it was asked too much"
    case .probing: "the wait is over; one request alone asks first"
    case .told: "the provider's answers say so"
    case .counted: "counted here; the provider's answers do not say"
    case .opening: "one request under way finds out"
    case .closed: "no window is open"
    }
  }
}

extension Timestamp {
  /// Creates the first whole second at or after a moment, given as the time since 1970 UTC.
  fileprivate init(roundingUp time: Duration) {
    self.init(seconds: Int64((time / .seconds(1)).rounded(.up)))
  }
}

extension Duration {
  /// The length of a window: `a minute`, `per 10 s`.
  package var asWindow: String {
    switch self {
    case .seconds(1): "a second"
    case .seconds(60): "a minute"
    case .seconds(86_400): "a day"
    default: "per \(forPerson)"
    }
  }
}
