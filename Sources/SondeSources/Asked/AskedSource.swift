public import SondeAsking
public import SondeCatalog

/// A source that is asked: how it is opened and planned.
///
/// Readers, stages, the cache, plans and reports know such sources only by this type,
/// `AddedSource`, ``SondeAsking/AwaitedSource`` and ``SourcePlan``. To add one, write
/// its row in a file of its own.
public struct AskedSource: Sendable {
  /// Whether its requests are counted apart from those to providers.
  public let countsRequests: Bool
  /// Opens it for a run, without asking.
  public let open: @Sendable (SourceSettings, SourceSurroundings) throws -> any AwaitedSource
  /// Creates its plan from stored answers, without asking.
  public let plan: @Sendable (SourceSettings, SourceMemory) throws -> any SourcePlan
}

extension AddedSource {
  /// The number of hosts whose paths it may watch at once; known before it is opened.
  public var watchedPaths: Int {
    switch origin {
    case .networks: 0
    case .names, .routes, .crawlers, .service: 1
    // The registries, and where they are listed.
    case .registries: 7
    }
  }
}
