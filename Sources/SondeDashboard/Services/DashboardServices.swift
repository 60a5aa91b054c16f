public import SondeAsking
public import SondeOutputs
public import SondeRecords
public import SondeScanner
public import SondeSummary

/// The providers and sources of the dashboard.
public struct DashboardServices: Sendable {
  /// The purpose of providers.
  public enum Purpose: Sendable, Equatable {
    /// A scan: the whole list, which waits for the network and for quotas.
    case scan
    /// The same with the databases that it began with.
    case resumption(DatabaseFiles)
    /// A retry of rows without a good answer: only the first of the list.
    case upgrade
    /// An interactive look-up: the whole list, without waiting (`AskingRules`).
    case lookup
  }

  /// The properties of a list of providers that are known without asking them.
  public struct ProviderList: Sendable {
    /// The needs of each provider.
    public var estimates: [ProviderEstimate]

    /// The recent answers of each provider; `nil` if they are not cached.
    public var caches: [AnswerCache?]

    /// The sources whose answers are asked for again; empty if the first is not a web API.
    public var fallbacks: [Source]

    /// Describes a list.
    public init(estimates: [ProviderEstimate], caches: [AnswerCache?], fallbacks: [Source]) {
      (self.estimates, self.caches, self.fallbacks) = (estimates, caches, fallbacks)
    }
  }

  /// All providers, and what those lack that cannot be asked.
  public var choices: [ProviderChoice]

  /// Whose request is sent next, of all scans and look-ups.
  let turns = RequestTurns()

  /// The maximum number of batches of a scan in flight.
  public var batches = 16

  /// Creates the providers of a run by their names, separated by commas, or the default ones.
  ///
  /// It throws the reason if they are not available.
  public var providers:
    @Sendable (Purpose, _ names: String?, _ report: @escaping EventHandler) throws -> RunProviders

  /// Describes the same providers.
  public var list: @Sendable (_ names: String?) throws -> ProviderList

  /// Sources that add columns to the answers of any provider.
  public var sources: [any ColumnSource] = []

  /// Reads a time in the past as options do, in milliseconds since 1970 UTC; `nil` if it is none.
  public var moment: @Sendable (String) -> Int64? = { _ in nil }

  /// The credits for the data of a report.
  public var credits: @Sendable (SummaryReport) -> [SummaryReport.DataCredit] = { _ in [] }

  /// Reports a warning to the operator of the server.
  public var warn: @Sendable (String) -> Void = { _ in }

  /// Creates the query for this machine's public address.
  public var publicAddress: @Sendable () throws -> PublicAddress

  /// Creates the services.
  public init(
    choices: [ProviderChoice],
    providers:
      @escaping @Sendable (Purpose, String?, @escaping EventHandler) throws -> RunProviders,
    list: @escaping @Sendable (String?) throws -> ProviderList,
    publicAddress: @escaping @Sendable () throws -> PublicAddress
  ) {
    (self.choices, self.providers, self.list) = (choices, providers, list)
    self.publicAddress = publicAddress
  }

  /// Whether a scan with these providers sends no requests; also false if they are unknown.
  func asksNobody(_ names: String?) -> Bool {
    guard !sources.contains(where: { $0 is AwaitedColumns }), let list = try? list(names) else {
      return false
    }
    return list.estimates.allSatisfy { $0.batch == 0 }
  }
}

/// The limits of the dashboard.
public struct DashboardLimits: Sendable {
  /// The maximum number of entries of a scan.
  public var entries = 10_000_000

  /// The maximum unpacked bytes of an input.
  public var unpacked = UInt64(100 << 30)

  /// The maximum number of scans per user.
  public var scans = 100

  /// The look-ups of a user that may ask a provider within a time; `nil` for any number.
  public var lookups: (count: Int, window: Duration)?

  /// The maximum bytes of a user's scans, uploads and results together.
  public var disk = 10 << 30

  /// The free bytes of the disk below which nothing more is stored.
  public var freeSpace = 1 << 30

  /// The time after which a scan that was not started is deleted, to free its space.
  public var readiness = Duration.seconds(3600)

  /// The time for which look-ups and scans are kept.
  public var keep = Duration.seconds(90 * 86_400)

  /// The maximum age of the answer of a watched address.
  public var watchEvery = Duration.seconds(86_400)

  /// Creates the default limits.
  public init() {}
}
