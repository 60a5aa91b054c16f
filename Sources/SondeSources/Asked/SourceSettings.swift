public import SondeNames
public import SondeProviders

/// The user's settings for the sources that are asked.
public struct SourceSettings: Sendable {
  /// The resolver that is asked for names.
  public var resolver = ResolverPlace.system
  /// Whether to ask for the names of private addresses, too.
  public var asksPrivateNames = false
  /// Whether the names of all addresses are asked for, not only of those that claim something.
  public var asksAllNames = false
  /// Whether stored failures count; otherwise the addresses are asked about again.
  public var trustsFailures = true
  /// Returns the URLs of the address registries, or throws if they are set to something else.
  public let registries: @Sendable () throws -> OwnerPlaces
  /// Returns how a web service is reached, or throws if its key is missing or would be readable.
  public let access: @Sendable (WebService) throws -> ServiceAccess
  /// The addresses to which a registry's answer applies.
  public var ownerReuse = OwnerReuse.block

  /// Creates the default settings.
  public init(
    registries: @escaping @Sendable () throws -> OwnerPlaces,
    access: @escaping @Sendable (WebService) throws -> ServiceAccess
  ) {
    (self.registries, self.access) = (registries, access)
  }

  /// The settings on which values depend, by their options, each value in one spelling; empty for
  /// the default, as in runs of versions that did not have the option.
  public var spellings: [(option: String, value: String)] {
    [
      ("resolver", resolver.spelling), ("private-names", asksPrivateNames ? "on" : ""),
      ("owner-reuse", ownerReuse == .block ? "" : ownerReuse.rawValue),
    ]
  }
}

extension ResolverPlace {
  /// The resolver in one spelling; empty for the system's.
  fileprivate var spelling: String {
    switch self {
    case .system: ""
    case .server(let server): server.description
    }
  }
}
