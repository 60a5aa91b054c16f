public import SondeAddresses
public import SondeAsking
import SondeProviders
public import SondeReachability
public import SondeRecords
import SondeTables

/// Whose network an address is in, as a source of columns.
public struct OwnerSource: AwaitedSource {
  /// The columns of every such source.
  static let columns = [AddedColumn].owner

  private let owners: Owners

  /// Makes a source that has asked nobody yet.
  ///
  /// - Parameters:
  ///   - places: Who is asked where.
  ///   - reuse: For which addresses besides its own an answer holds.
  ///   - surroundings: What the run gives.
  /// - Throws: What making a client throws.
  public init(
    at places: OwnerPlaces,
    reuse: OwnerReuse,
    _ surroundings: SourceSurroundings
  ) throws {
    owners = try Owners(at: places, reuse: reuse, surroundings)
  }

  /// The columns, in their order.
  public var columns: [AddedColumn] { Self.columns }

  /// Sorted input has the addresses of one registry first and those of the next one far behind, and all
  /// are to be asked at once.
  public var lookAhead: Int { 262_144 }

  /// Asks the registries.
  public func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues {
    let owners =
      isFresh
      ? try await owners.renewedOwners(of: addresses) : try await owners.owners(of: addresses)
    var values = AddedValues()
    for (address, match) in zip(addresses, owners) {
      values.append(match, of: address)
    }
    return values
  }

  /// Follows the paths to the registries until the task is cancelled.
  public func watch() async { await owners.watch() }

  /// Lets no request out any more.
  public func stopAsking() { owners.stopAsking() }

  /// The requests that it has sent.
  public var registryRequests: RequestCount { owners.paths.requests }

  /// The network as it is seen on the paths to the registries.
  public var networkStatus: NetworkStatus? { owners.networkStatus }
}

extension AddedValues {
  /// Adds a row: what a registry says of an address.
  fileprivate mutating func append(_ match: KnownOwners.Match, of address: Address) {
    let registration = match.owner.registration
    append { registration?.network(holding: address).append(to: &$0) }
    append(text: registration?.name ?? "")
    append(text: match.owner.registry.flatMap { $0.isRegional ? $0.name : nil } ?? "")
    append(text: registration?.abuse.joined(separator: " ") ?? "")
    append(flag: match.owner.isAnswer ? match.isInferred : nil)
    append(status: AddedStatus(match.owner.outcome))
  }
}

extension AddedStatus {
  fileprivate init(_ outcome: Owner.Outcome) {
    self =
      switch outcome {
      case .found: .named("ok")
      case .unknown: .named("unknown")
      case .failed: .failed
      case .networkLost: .networkLost
      }
  }
}
