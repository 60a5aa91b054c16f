public import SondeAddresses
public import SondeReachability
public import SondeRecords

/// A source of columns that must be asked, in addition to any provider.
///
/// To add one, add a type for it, its row in `AddedSource.all`, and the code that creates it from
/// the options.
public protocol AwaitedSource: Sendable {
  /// The columns in order, including one with the source's status.
  var columns: [AddedColumn] { get }

  /// Whether it is also asked about special-purpose addresses.
  var asksReserved: Bool { get }

  /// Whether it is asked about an address.
  func wants(_ address: Address) -> Bool

  /// Whether it is asked about an address whose line claims to come from some crawlers.
  func wants(_ address: Address, claiming claims: CrawlerClaims) -> Bool

  /// Whether its values depend on what lines claim, too.
  var readsClaims: Bool { get }

  /// The largest number of questions whose records may wait for one another.
  var batchSize: Int { get }

  /// How many questions are passed in advance; each takes some hundred bytes while it waits.
  var lookAhead: Int { get }

  /// Asks about some addresses; called concurrently for many batches.
  ///
  /// A failure is a row with such a status. The source limits its own rate, retries, and avoids
  /// duplicate requests of several batches.
  /// - Parameters:
  ///   - addresses: The addresses, without duplicates.
  ///   - isFresh: Whether to ask even if values are known; those are kept until there are new ones.
  /// - Returns: A row per address, in order, with one value per column.
  /// - Throws: `CancellationError` only.
  func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues

  /// Asks about some addresses, each with what a line of it claims; if it ``readsClaims``, an address
  /// may occur with several claims.
  func values(
    of addresses: [Address],
    claiming claims: [CrawlerClaims],
    isFresh: Bool
  ) async throws -> AddedValues

  /// Watches its network until the task is cancelled.
  func watch() async

  /// Sends no more requests: running ones are finished, and tasks that wait for a permit, the
  /// network or a retry get a `CancellationError`.
  func stopAsking()

  /// The state of its network; `nil` if it watches none.
  var networkStatus: NetworkStatus? { get }

  /// Whether it has refused in this run, or its quota of a day or longer was spent.
  var hasRefused: Bool { get }
}

extension AwaitedSource {
  /// False: special-purpose addresses are not sent.
  public var asksReserved: Bool { false }

  /// As many as for a provider with large batches.
  public var lookAhead: Int { 8192 }

  /// Does nothing: no network is watched.
  public func watch() async {}

  /// Does nothing: no task waits.
  public func stopAsking() {}

  /// `nil`: no network is watched.
  public var networkStatus: NetworkStatus? { nil }

  /// False: failures of some services are no refusal.
  public var hasRefused: Bool { false }

  /// True for all addresses but reserved ones, of which ``asksReserved`` decides.
  public func wants(_ address: Address) -> Bool { asksReserved || address.specialPurpose == nil }

  /// Claims do not matter.
  public func wants(_ address: Address, claiming claims: CrawlerClaims) -> Bool { wants(address) }

  /// False: only addresses matter.
  public var readsClaims: Bool { false }

  /// Claims do not matter.
  public func values(
    of addresses: [Address],
    claiming claims: [CrawlerClaims],
    isFresh: Bool
  ) async throws -> AddedValues {
    try await values(of: addresses, isFresh: isFresh)
  }

  /// As many as fit a batch: its answers come at about the same time.
  public var batchSize: Int { .max }
}

/// Columns whose values come with the records.
public struct AwaitedColumns: ColumnSource {
  /// The columns in order.
  public let columns: [AddedColumn]

  /// Creates columns.
  public init(columns: [AddedColumn]) { self.columns = columns }
}
