import SondeProviders
import SondeRecords
public import SondeStore
public import SondeSystem

/// The windows that a ledger of quotas keeps, for a person who looks at them or forgets one.
public struct QuotaBook: Sendable {
  /// What rows of an earlier version, which do not say whose they are, are shown under.
  public static let unknown = "unknown"

  /// One window of a provider.
  public struct Window: Sendable, Equatable {
    /// The provider or registry.
    public let provider: String
    /// What is counted, and how long.
    public let window: String
    /// Requests that are spent, or may be; `nil` where no window is open.
    public let used: Int?
    /// Requests that may go out; `nil` where nobody knows.
    public let left: Int?
    /// Until when that holds; `nil` where nothing is waited for.
    public let until: Timestamp?
    /// Why.
    public let why: String
  }

  private let ledger: any QuotaLedger

  /// Looks into a ledger.
  public init(_ ledger: any QuotaLedger) { self.ledger = ledger }

  /// The windows of which anything is known, by provider.
  ///
  /// - Throws: `LedgerFault` where the ledger cannot be read.
  public func windows() async throws(LedgerFault) -> [Window] {
    try await ledger.records().compactMap { Window($0.row) }.sorted { left, right in
      let order = (Self.place(of: left.provider), Self.place(of: right.provider))
      return order.0 == order.1
        ? (left.provider, left.window) < (right.provider, right.window) : order.0 < order.1
    }
  }

  /// Forgets what is known of a provider, and what an earlier version has kept without saying of whom.
  ///
  /// - Parameter provider: Its name.
  /// - Returns: How many rows there were; `nil` where nothing has that name.
  /// - Throws: `LedgerFault` where the ledger cannot be read or written.
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
  }

  private static func place(of name: String) -> Int { names.firstIndex(of: name) ?? names.count }
}

extension QuotaName {
  /// The name that a row holds; `nil` for one of an earlier version, or a damaged one.
  fileprivate init?(in row: LedgerRow) {
    guard let text = SharedQuota.name(in: row.bytes), !text.isEmpty else { return nil }
    self.init(text)
  }
}

extension LedgerRow {
  /// The bytes where everything is forgotten but whose they are.
  ///
  /// The row stays: on a server that machines share, one that is gone is taken for lost, and waited for.
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
  /// Describes a row; `nil` where nothing is known of its quota.
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
  /// The first whole second at or after a moment, given as the time since 1970 UTC.
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
