public import SondeCatalog
public import SondeProviders
import SondeSystem
public import SondeTransfer

/// Fetches published lists, and stores those that may replace the former ones.
public struct ListUpdate: Sendable {
  /// The result for a list.
  public enum Outcome: Sendable, Equatable {
    /// There is a new one; with the numbers of its networks and invalid lines.
    case updated(rows: Int, odd: Int)
    /// There is a new database; with the number of its networks, and when it was built, in seconds
    /// since 1970 UTC.
    case built(rows: Int, date: Int64)
    /// The former one is unchanged.
    case same(rows: Int)
    /// The former one was fetched too short a time ago to ask again; with its networks, the time,
    /// and the seconds that must pass.
    case recent(rows: Int, fetchedAt: Int64, pause: Int64)
    /// The former one, if any, is kept, with the reason.
    case kept(String)
    /// The network was lost, and the former one is kept, with the reason.
    case networkLost(String, PathEvidence)
    /// The new one could not be stored, with the reason.
    case unwritable(String)
  }

  private let folder: ListFolder
  private let fetch: ListFetch

  /// Creates an updater; without `base`, it uses the lists' own URLs.
  public init(folder: ListFolder, client: HTTPClient, base: BaseURL?, timeout: Duration) {
    self.folder = folder
    fetch = ListFetch(client: client, base: base, timeout: timeout)
  }

  /// Fetches a list, if it has changed; throws `CancellationError` only.
  public func update(_ list: PublishedList) async throws -> Outcome {
    let former = folder.read(list)
    if let former, 0..<list.pause ~= Timestamp.now.seconds - former.fetchedAt {
      return .recent(rows: former.rows, fetchedAt: former.fetchedAt, pause: list.pause)
    }
    switch try await fetch.find(list, unlike: former) {
    case .new(let stored, let odd):
      return keep(stored, as: list, .updated(rows: stored.rows, odd: odd))
    case .same(let stored): return keep(stored, as: list, .same(rows: stored.rows))
    case .none(let reason): return .kept(reason)
    case .networkLost(let reason, let evidence): return .networkLost(reason, evidence)
    }
  }

  private func keep(_ stored: StoredList, as list: PublishedList, _ outcome: Outcome) -> Outcome {
    do throws(SystemError) {
      try folder.write(stored, as: list)
      return outcome
    } catch {
      return .unwritable("\(folder.path): \(error)")
    }
  }
}
