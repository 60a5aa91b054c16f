import SondeAddresses
import SondeAsking
import SondeNames
import SondeReachability
import SondeRecords

/// The names or routes of addresses as a source of columns.
final class NameSource: AwaitedSource {
  /// Whether it is also asked about private addresses.
  let asksReserved: Bool

  private let kind: NameKind
  private let asker: NameAsker

  /// Creates a source without asking; throws `NameError` if there is no resolver.
  init(
    _ kind: NameKind,
    _ settings: SourceSettings,
    in surroundings: SourceSurroundings
  ) throws {
    self.kind = kind
    asker =
      kind.isShared
      ? try .shared(settings, in: surroundings) : try NameAsker(kind, settings, in: surroundings)
    asksReserved = kind.takesPrivate && settings.asksPrivateNames
  }

  var columns: [AddedColumn] { kind.columns }

  /// Asks about distinct addresses; a fresh question ignores stored names.
  ///
  /// A reserved address that is not private gets no value. Throws `CancellationError` only.
  func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues {
    let wanted = addresses.filter {
      $0.specialPurpose == nil || kind.takesPrivate && $0.isPrivate
    }
    let known = try await asker.names(of: wanted, isFresh: isFresh)
    var values = AddedValues()
    for address in addresses {
      guard let names = known[address] else {
        values.appendNothing(columns.count)
        continue
      }
      kind.append(names, address, &values)
    }
    return values
  }

  func watch() async { await asker.watch() }

  func stopAsking() { asker.stopAsking() }

  /// The state of its network; `nil` before the first question.
  var networkStatus: NetworkStatus? { asker.networkStatus }
}

extension NameAsker {
  /// The one that asks for names in a run, whichever sources need them.
  static func shared(
    _ settings: SourceSettings,
    in surroundings: SourceSurroundings
  ) throws -> NameAsker {
    try surroundings.resolver.asker { try NameAsker(.names, settings, in: surroundings) }
  }
}
