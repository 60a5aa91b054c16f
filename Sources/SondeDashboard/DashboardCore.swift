public import SondeReachability
import SondeRecords
import SondeSystem

/// All that the dashboard does, without how it is asked: its parts, put together.
public final class DashboardCore: Sendable {
  /// What is kept.
  public let state: DashboardState

  /// Where changes are told.
  public let hub = DashboardHub()

  /// The scans.
  public let scans: ScanDesk

  /// Their records.
  public let records = RecordDesk()

  /// Look-ups.
  public let lookups: LookupDesk

  /// The network.
  public let network: NetworkDesk

  private let watching: WatchDesk
  private let limits: DashboardLimits

  /// Tells whoever started the server what a person there should know.
  package let warn: @Sendable (String) -> Void

  /// Opens the state in a folder.
  ///
  /// - Parameters:
  ///   - folder: Where the state lies; made if missing.
  ///   - services: Who is asked.
  ///   - limits: How much there may be.
  ///   - monitor: Sees the network.
  ///   - alert: Told of each change of what is watched, as a JSON object.
  /// - Throws: ``StateError``, and what making the providers throws.
  public init(
    in folder: String,
    _ services: DashboardServices,
    _ limits: DashboardLimits,
    watching monitor: NetworkMonitor,
    alert: @escaping @Sendable ([UInt8]) async -> Void = { _ in }
  ) throws {
    state = try DashboardState(folder: folder)
    lookups = try LookupDesk(services, state: state, hub: hub)
    network = NetworkDesk(monitor, state: state, hub: hub)
    scans = ScanDesk(state: state, services: services, limits: limits, hub: hub, tables: records)
    watching = WatchDesk(
      state: state,
      lookups: lookups,
      scans: scans,
      hub: hub,
      interval: limits.watchEvery,
      alert: alert
    )
    (self.limits, warn) = (limits, services.warn)
  }

  /// Why nothing can be uploaded at the moment and scans wait, in words; `nil` where that is not so.
  public var shortage: String? { state.shortage(below: limits.freeSpace) }

  /// Takes up the scans that are kept; before that, nothing may be asked for.
  ///
  /// - Throws: ``StateError``.
  public func open() async throws(StateError) { try await scans.open() }

  /// Forgets all that belongs to a user.
  ///
  /// - Throws: ``StateError``, ``DashboardError``.
  package func removeAll(of user: String) async throws {
    try await scans.deleteAll(of: user)
    try await state.deleteLookups(of: user)
    try await state.deleteWatched(nil, of: user)
  }

  /// Forgets all that belongs to others than these; what belongs to nobody stays.
  ///
  /// - Throws: ``StateError``, ``DashboardError``.
  package func removeAll(butOf users: Set<String>) async throws {
    for owner in try await state.owners() where !owner.isEmpty && !users.contains(owner) {
      try await removeAll(of: owner)
    }
  }

  /// Works until the task is cancelled, then closes.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.lookups.run() }
      group.addTask { await self.network.run() }
      group.addTask { await self.watching.run() }
      group.addTask { await self.tidy() }
      await group.waitForAll()
    }
    await close()
  }

  /// Leaves what is under way so that it can be resumed, within two seconds.
  public func close() async {
    hub.close()
    await scans.close()
  }

  /// How often it is looked for what is too old.
  private static let tidying = Duration.seconds(300)

  /// Removes what is too old, now and then.
  private func tidy() async {
    while !Task.isCancelled {
      let end = Timestamp(milliseconds: Timestamp.now.milliseconds - limits.keep.milliseconds)
      try? await state.forget(before: end)
      await scans.remove(before: end)
      try? await Task.sleep(for: Self.tidying)
    }
  }
}
