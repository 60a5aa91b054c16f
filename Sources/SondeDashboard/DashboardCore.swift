package import SondeAlerts
package import SondeReachability
public import SondePage
import SondeRecords
import SondeSummary
import SondeSystem

/// The dashboard without its API: all its parts.
public final class DashboardCore: Sendable {
  /// The stored state.
  public let state: DashboardState

  /// Publishes changes.
  public let hub = DashboardHub()

  /// The scans.
  public let scans: ScanDesk

  /// Reads the records of scans.
  public let records: RecordDesk

  /// Looks up addresses.
  public let lookups: LookupDesk

  /// The network.
  public let network: NetworkDesk

  /// Follows logs.
  public let logs: LogDesk

  private let watching: WatchDesk
  private let limits: DashboardLimits
  private let services: DashboardServices
  package let warn: @Sendable (String) -> Void

  /// Opens the state in `folder`, which is created if missing.
  ///
  /// What is seen of the network is kept in `history`, the logs at the paths `following` are
  /// followed, `-` for standard input, and `alert` is called with a JSON object for each change of a watched address.
  /// - Throws: ``StateError``, and errors in creating the providers.
  package init(
    in folder: String,
    _ services: DashboardServices,
    _ limits: DashboardLimits,
    watching monitor: NetworkMonitor,
    keeping history: OutageHistory? = nil,
    following: [String] = [],
    alert: @escaping @Sendable ([UInt8]) async -> Void = { _ in }
  ) throws {
    state = try DashboardState(folder: folder)
    lookups = try LookupDesk(services, limits, state: state, hub: hub)
    network = NetworkDesk(
      monitor,
      history: history,
      state: state,
      hub: hub,
      moment: services.moment
    )
    records = RecordDesk(adding: services.sources, moment: services.moment)
    scans = ScanDesk(state: state, services: services, limits: limits, hub: hub, tables: records)
    logs = try LogDesk(
      following,
      services,
      keep: limits.keep,
      state: state,
      hub: hub,
      records: records,
      scans: scans,
      lookups: lookups
    )
    watching = WatchDesk(
      state: state,
      lookups: lookups,
      scans: scans,
      logs: logs,
      hub: hub,
      interval: limits.watchEvery,
      alert: alert
    )
    (self.services, self.limits, warn) = (services, limits, services.warn)
  }

  /// The reason why uploads are refused and scans wait for disk space; `nil` if there is none.
  public var shortage: String? { state.shortage(below: limits.freeSpace) }

  /// Loads the stored scans; must be called before any request.
  ///
  /// - Throws: ``StateError``.
  public func open() async throws(StateError) { try await scans.open() }

  /// The fields of records, as people read them.
  public var fields: [FieldDescription] { FieldDescription.all(adding: services.sources) }

  /// All providers, and what those lack that cannot be asked.
  public var providers: [ProviderChoice] { services.choices }

  /// The page of `summary --html` about a scan's records so far.
  ///
  /// - Throws: ``DashboardError`` if they cannot be read.
  public func page(of table: ScanTable) async throws -> [UInt8] {
    var report = try await records.report(of: table)
    report.isPartial = table.isChanging
    report.credits = services.credits(report)
    return SondePage.page(of: report)
  }

  package func removeAll(of user: String) async throws {
    try await scans.deleteAll(of: user)
    try await state.deleteLookups(of: user)
    try await state.forgetUse(of: user, before: Timestamp(milliseconds: .max))
    try await state.deleteWatched(nil, of: user)
  }

  /// Deletes all data of other users than these; data without a user is kept.
  package func removeAll(butOf users: Set<String>) async throws {
    for owner in try await state.owners() where !owner.isEmpty && !users.contains(owner) {
      try await removeAll(of: owner)
    }
  }

  /// Runs until the task is cancelled, then closes.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.lookups.run() }
      group.addTask { await self.network.run() }
      group.addTask { await self.logs.run() }
      group.addTask { await self.watching.run() }
      group.addTask { await self.tidy() }
      await group.waitForAll()
    }
    await close()
  }

  /// Stops all work, resumably, within two seconds.
  public func close() async {
    hub.close()
    await scans.close()
  }

  /// The interval between searches for expired data.
  private static let tidying = Duration.seconds(300)

  /// The time over which use is counted, in milliseconds.
  private static let day: Int64 = 86_400_000

  private func tidy() async {
    while !Task.isCancelled {
      let now = Timestamp.now
      let end = Timestamp(milliseconds: now.milliseconds - limits.keep.milliseconds)
      lookups.limit?.tidy()
      try? await state.forget(before: end)
      try? await state.forgetUse(before: Timestamp(milliseconds: now.milliseconds - Self.day))
      await scans.remove(before: end)
      try? await Task.sleep(for: Self.tidying)
    }
  }
}
