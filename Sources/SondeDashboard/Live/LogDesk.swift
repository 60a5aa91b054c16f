package import SondeLive
import SondeRecords
import SondeSQLite
import SondeSystem

/// Follows logs, looks up their addresses, and publishes what happens in them as events.
public final class LogDesk: Sendable {
  /// The time between two looks at a log that has nothing new.
  private static let pace = Duration.milliseconds(100)
  /// The shortest time between two events of a log.
  private static let eventPace = Duration.milliseconds(500)

  /// In the order of their options.
  let logs: [LiveLog]
  let services: DashboardServices
  let records: RecordDesk
  private let hub: DashboardHub
  private let scans: ScanDesk
  private let lookups: LookupDesk

  /// Opens the logs, whose states are kept in a folder beside the scans.
  ///
  /// - Throws: ``StateError``.
  init(
    _ paths: [String],
    _ services: DashboardServices,
    keep: Duration,
    state: DashboardState,
    hub: DashboardHub,
    records: RecordDesk,
    scans: ScanDesk,
    lookups: LookupDesk
  ) throws(StateError) {
    (self.services, self.hub, self.records) = (services, hub, records)
    (self.scans, self.lookups) = (scans, lookups)
    let folder = state.folder + "/logs"
    let columns = Self.columns(services)
    do throws(SQLiteError) {
      logs = try LogFolder(folder, columns: columns, forAtMost: keep)
        .places(of: paths) { randomDigits(bits: 128) }
        .map { place throws(SQLiteError) in
          try LiveLog(place, columns: columns, zone: .utc, say: services.warn)
        }
    } catch {
      throw StateError(folder, error)
    }
  }

  // MARK: - Requests

  /// All logs as they are now, in the order of their options.
  package func infos() async -> [LogInfo] {
    var infos: [LogInfo] = []
    for log in logs { infos.append(await log.info) }
    return infos
  }

  /// A log.
  ///
  /// - Throws: ``DashboardError`` if there is none of the id.
  func log(_ id: String) throws(DashboardError) -> LiveLog {
    guard let log = logs.first(where: { $0.id == id }) else {
      throw DashboardError(.notFound, "there is no such log")
    }
    return log
  }

  /// A log as it is now.
  ///
  /// - Throws: ``DashboardError`` if there is none of the id.
  package func info(_ id: String) async throws -> LogInfo { try await log(id).info }

  /// The events that tell one who has just come of the newest lines of some logs.
  ///
  /// - Throws: ``DashboardError`` if there is no log of an id.
  package func latest(_ ids: [String]) async throws -> [DashboardEvent] {
    var events: [DashboardEvent] = []
    for id in ids { events.append(.log(id, json: try await log(id).latest())) }
    return events
  }

  // MARK: - Work

  /// Follows until the task is cancelled.
  func run() async {
    guard !logs.isEmpty else { return }
    await withTaskGroup(of: Void.self) { group in
      for log in logs {
        group.addTask { await self.follow(log) }
        group.addTask { await self.tell(of: log) }
        if log.path == FollowedPath.input {
          group.addTask { await StandardInputLines.read(into: log) }
        }
      }
      group.addTask { await self.ask() }
    }
    for log in logs { await log.keep() }
  }

  private func follow(_ log: LiveLog) async {
    while !Task.isCancelled {
      // Others have their turn between two steps.
      if await log.step() { await Task.yield() } else { try? await Task.sleep(for: Self.pace) }
    }
  }

  private func tell(of log: LiveLog) async {
    while !Task.isCancelled {
      guard let news = await log.takeNews() else {
        try? await Task.sleep(for: Self.pace)
        continue
      }
      hub.publish(.log(log.id, json: news))
      try? await Task.sleep(for: Self.eventPace)
    }
  }

  /// Whether it is the turn of logs: after look-ups and scans.
  var isTurn: Bool {
    get async {
      guard !lookups.isAtWork else { return false }
      return await !scans.goesFirst
    }
  }

  /// Whether addresses of a log wait to be asked about, which go before the watchlist.
  var goesFirst: Bool {
    get async {
      for log in logs where await log.waiting > 0 { return true }
      return false
    }
  }
}

extension DashboardEvent {
  /// The event of a log.
  static func log(_ id: String, json: [UInt8]) -> DashboardEvent {
    var event = DashboardEvent(kind: .log, user: nil, json: json)
    event.topic = id
    return event
  }
}
