public import SondeAddresses
public import SondeReachability
public import SondeRecords

/// Who adds columns and has to be asked for them, beside whatever provider answers.
///
/// To add one: a type for this, its row in ``AddedSource/all``, and what makes it of the options.
public protocol AwaitedSource: Sendable {
  /// The columns, in their order; one of them says how the source fared.
  var columns: [AddedColumn] { get }

  /// Whether it is asked about special-purpose addresses, too.
  var asksReserved: Bool { get }

  /// How many questions it is worth knowing at once; each costs some hundred bytes while it waits.
  var lookAhead: Int { get }

  /// Asks about some addresses; called for many batches at once.
  ///
  /// What cannot be had is a row whose status says so. How fast it asks, how often it tries, and that
  /// no two batches ask the same is its own business.
  /// - Parameters:
  ///   - addresses: The addresses, each once.
  ///   - isFresh: Whether they are asked about whatever is known, which is kept until there is another
  ///     answer.
  /// - Returns: A row for each, in that order: as many values as there are columns.
  /// - Throws: `CancellationError`, and nothing else.
  func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues

  /// Follows its network until the task is cancelled.
  func watch() async

  /// Lets no question out any more: those under way come to their ends, and who waits for a permit,
  /// the network or another try gets a `CancellationError`.
  func stopAsking()

  /// The network as it sees it; `nil` where nothing is watched.
  var networkStatus: NetworkStatus? { get }

  /// The requests that it has sent to registries of addresses.
  var registryRequests: RequestCount { get }
}

extension AwaitedSource {
  /// Special-purpose addresses are sent to nobody.
  public var asksReserved: Bool { false }

  /// As many as wait for a provider with large batches.
  public var lookAhead: Int { 8192 }

  /// Nothing is watched.
  public func watch() async {}

  /// Nobody waits.
  public func stopAsking() {}

  /// Nothing is watched.
  public var networkStatus: NetworkStatus? { nil }

  /// It asks others.
  public var registryRequests: RequestCount { RequestCount() }

  /// Whether it is asked about an address.
  func wants(_ address: Address) -> Bool { asksReserved || address.specialPurpose == nil }
}

/// Columns whose values come with the records, for who writes these.
public struct AwaitedColumns: ColumnSource {
  /// The columns, in their order.
  public let columns: [AddedColumn]

  /// Names them.
  public init(columns: [AddedColumn]) { self.columns = columns }
}
