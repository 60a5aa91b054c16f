import SondeNames
import Synchronization

/// The resolver of a run, whose pace all sources share that ask it.
public final class SharedResolver: Sendable {
  private let resolver = Mutex<NameResolver?>(nil)
  private let asker = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Creates none before it is needed.
  public init() {}

  /// The one that asks for names on behalf of several sources, which the first caller creates.
  func asker<Asker: AnyObject & Sendable>(_ create: () throws -> Asker) rethrows -> Asker {
    try asker.withLock { asker in
      if let asker = asker as? Asker { return asker }
      let new = try create()
      asker = new
      return new
    }
  }

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
