import SondeAsking
import SondeLive
import SondeRecords

extension LogDesk {
  /// The time between two looks whether there are addresses to ask about.
  private static let pace = Duration.milliseconds(100)

  /// The columns of the tables of records.
  static func columns(_ services: DashboardServices) -> [Field] {
    RecordColumns.all + services.sources.flatMap(\.columns).map(Field.added)
  }

  /// Asks about the addresses of all logs, until the task is cancelled.
  func ask() async {
    let providers: RunProviders
    do {
      providers = try services.providers(.scan, nil) { _ in }
    } catch {
      return services.warn("the addresses of logs are not asked about: \(error)")
    }
    let asking = LogAsking(
      providers.chain,
      adding: services.sources,
      columns: Self.columns(services),
      batches: services.batches
    ) { await self.isTurn }
    await providers.chain.watchingNetwork {
      await withTaskGroup(of: Void.self) { group in
        for log in logs { group.addTask { await Self.ask(of: log, asking) } }
        await group.waitForAll()
      }
    }
  }

  private static func ask(of log: LiveLog, _ asking: LogAsking) async {
    while !Task.isCancelled {
      do {
        if try await !asking.ask(of: log) { try await Task.sleep(for: pace) }
      } catch {
        return
      }
    }
  }
}
