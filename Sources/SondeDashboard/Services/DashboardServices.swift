public import SondeAsking
public import SondeRecords
public import SondeScanner

/// The providers and sources of the dashboard.
public struct DashboardServices: Sendable {
  /// What providers are wanted for.
  public enum Purpose: Sendable {
    /// A scan: the whole list, which waits for the network and for quotas.
    case scan
    /// Asking again for what an earlier scan has no good answer to: the first of the list alone.
    case upgrade
    /// What a person waits for: the whole list, which waits for nothing (`AskingRules`).
    case lookup
  }

  /// What is known of a list of providers without asking them.
  public struct ProviderList: Sendable {
    /// What each of them would need.
    public var estimates: [ProviderEstimate]

    /// What each has answered lately; `nil` where that is not kept.
    public var caches: [AnswerCache?]

    /// Whose answers are asked for again; none where the first is no web API.
    public var fallbacks: [Source]

    /// Describes a list.
    public init(estimates: [ProviderEstimate], caches: [AnswerCache?], fallbacks: [Source]) {
      (self.estimates, self.caches, self.fallbacks) = (estimates, caches, fallbacks)
    }
  }

  /// The providers that a scan may name, and whose usual list comes first.
  public var names: [String]

  /// Batches of a scan that may wait for their answers at once.
  public var batches = 16

  /// Makes the providers of a run: those that the names say, with commas between them, or the usual
  /// ones.
  ///
  /// It throws where they cannot be had, saying why.
  public var providers:
    @Sendable (Purpose, _ names: String?, _ report: @escaping EventHandler) throws -> RunProviders

  /// Describes the same providers.
  public var list: @Sendable (_ names: String?) throws -> ProviderList

  /// Who adds columns beside whatever provider answered.
  public var sources: [any ColumnSource] = []

  /// Reports a warning to the operator of the server.
  public var warn: @Sendable (String) -> Void = { _ in }

  /// Makes the question for this machine's public address.
  public var publicAddress: @Sendable () throws -> PublicAddress

  /// Puts them together.
  public init(
    names: [String],
    providers:
      @escaping @Sendable (Purpose, String?, @escaping EventHandler) throws -> RunProviders,
    list: @escaping @Sendable (String?) throws -> ProviderList,
    publicAddress: @escaping @Sendable () throws -> PublicAddress
  ) {
    (self.names, self.providers, self.list) = (names, providers, list)
    self.publicAddress = publicAddress
  }
}

/// What the dashboard allows.
public struct DashboardLimits: Sendable {
  /// The most entries of a scan.
  public var entries = 10_000_000

  /// The most bytes that an input may unpack to: whatever it holds, reading it comes to an end.
  public var unpacked = UInt64(100 << 30)

  /// The most scans of a user.
  public var scans = 100

  /// Scans at work at once.
  public var running = 2

  /// The free bytes of the disk below which nothing more is put there.
  public var freeSpace = 1 << 30

  /// How long a scan may wait to be started; then it goes, so that what was uploaded and left alone
  /// takes nobody's room.
  public var readiness = Duration.seconds(3600)

  /// How long look-ups, scans and losses are kept.
  public var keep = Duration.seconds(90 * 86_400)

  /// How old the answer of a watched address may be.
  public var watchEvery = Duration.seconds(86_400)

  /// Makes the usual limits.
  public init() {}
}
