import SondeNames
import Synchronization

/// The resolver of a run, whose pace all sources share that ask it.
public final class SharedResolver: Sendable {
  private let resolver = Mutex<NameResolver?>(nil)

  /// Creates none before it is needed.
  public init() {}

  /// The resolver, which the first caller configures; throws `NameError` if there is none.
  func resolver(_ configuration: NameResolver.Configuration) throws -> NameResolver {
    try resolver.withLock { resolver in
      if let resolver { return resolver }
      let new = try NameResolver(configuration)
      resolver = new
      return new
    }
  }
}
