import SondeAsking
import SondeNames
import SondeOptions
import SondeSources

extension AwaitedSetup {
  /// What asks for the names of addresses.
  ///
  /// - Throws: `NameError` where no resolver can be had.
  func names() throws -> any AwaitedSource {
    try NameSource(
      asking: context.options.resolver ?? .system,
      aboutPrivate: context.options.privateNames,
      trustingFailures: context.command != .upgrade,
      in: surroundings
    )
  }
}

extension ResolverPlace {
  /// The value of `--resolver` in one spelling; empty for the system's.
  var spelling: String {
    switch self {
    case .system: ""
    case .server(let server): server.description
    }
  }
}
