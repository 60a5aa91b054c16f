public import SondeAddresses
public import SondeAsking
import SondeCatalog
import SondeProviders
public import SondeReachability
public import SondeRecords
import SondeTables

/// The owners of addresses' networks as a source of columns.
public struct OwnerSource: AwaitedSource {
  static let columns = [AddedColumn].owner

  private let owners: Owners

  /// Creates a source that has not asked yet; throws the errors of creating a client.
  public init(
    at places: OwnerPlaces,
    reuse: OwnerReuse,
    _ surroundings: SourceSurroundings
  ) throws {
    owners = try Owners(at: places, reuse: reuse, surroundings)
  }

  /// The columns in order.
  public var columns: [AddedColumn] { Self.columns }

  /// Sorted input contains the addresses of one registry long before those of the next, but all
  /// registries should be asked at once.
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

  /// Watches the paths to the registries until the task is cancelled.
  public func watch() async { await owners.watch() }

  /// Sends no more requests.
  public func stopAsking() { owners.stopAsking() }

  /// The state of the network on the paths to the registries.
  public var networkStatus: NetworkStatus? { owners.networkStatus }
}

extension AddedValues {
  /// Adds a row with a registry's answer about an address.
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
