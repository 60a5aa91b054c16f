import SondeAddresses
import SondeNames

extension AskedSource {
  /// Reverse DNS.
  static let names = resolver(.names)

  /// The routes of addresses, by DNS.
  static let route = resolver(.route)

  private static func resolver(_ kind: NameKind) -> AskedSource {
    AskedSource(
      countsRequests: false,
      open: { try NameSource(kind, $0, in: $1) },
      plan: { try NamePlan(kind, $0, keptIn: $1) }
    )
  }
}

/// The number of addresses a resolver would be asked about, and the minimum time.
struct NamePlan: SourcePlan {
  /// The number of addresses whose names are not stored.
  private var addresses = 0
  /// The largest number of questions per second; `nil` if only the resolver's answers set the pace.
  private let rate: Int?

  private let kind: NameKind
  private let asksPrivate: Bool
  private let kept: KeptNames

  /// Creates a plan without asking the resolver; throws `NameError` if there is none.
  init(_ kind: NameKind, _ settings: SourceSettings, keptIn memory: SourceMemory) throws {
    let servers = try NameResolver.servers(at: settings.resolver)
    let isPublic = servers.contains { $0.address.isPublic }
    rate = isPublic ? NameResolver.mostPerSecond : nil
    kept = KeptNames(kind.scope, of: servers, in: memory)
    self.kind = kind
    asksPrivate = kind.takesPrivate && settings.asksPrivateNames
  }

  /// The addresses, and the minimum time, as each name found requires one more question.
  var lines: [SourcePlanLine] {
    let time = rate.map { rate in
      SourcePlanLine.Time.atLeast(
        .seconds((Double(addresses) / Double(rate)).rounded(.up)),
        perSecond: rate
      )
    }
    return [SourcePlanLine(kind.name, questions: addresses, time ?? .unlimited)]
  }

  mutating func count(_ addresses: [Address]) async {
    let asked = addresses.filter { $0.specialPurpose == nil || asksPrivate && $0.isPrivate }
    self.addresses += asked.count - (await kept.names(of: asked).count)
  }
}
