public import SondeProviders
public import SondeRecords
import SondeSystem
public import SondeTransfer

/// Fetches published lists and keeps those that may take the place of the former ones.
public struct ListUpdate: Sendable {
  /// What became of a list.
  public enum Outcome: Sendable, Equatable {
    /// There is a new one: its networks, and the lines that are none.
    case updated(rows: Int, odd: Int)
    /// The former one is still the one that is published.
    case same(rows: Int)
    /// The former one, if there is one, stays, and why.
    case kept(String)
    /// The same, since the network was lost.
    case networkLost(String, PathEvidence)
    /// The new one could not be kept, and why.
    case unwritable(String)
  }

  private let folder: ListFolder
  private let fetch: ListFetch

  /// Makes an updater.
  ///
  /// - Parameters:
  ///   - folder: Where the lists are kept.
  ///   - client: Sends the requests.
  ///   - base: A mirror; `nil` for the lists' own places.
  ///   - timeout: The longest that a request takes.
  public init(folder: ListFolder, client: HTTPClient, base: BaseURL?, timeout: Duration) {
    self.folder = folder
    fetch = ListFetch(client: client, base: base, timeout: timeout)
  }

  /// Fetches a list, if it has changed.
  ///
  /// - Throws: `CancellationError`, and nothing else.
  public func update(_ list: PublishedList) async throws -> Outcome {
    switch try await fetch.find(list, unlike: folder.read(list)) {
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
