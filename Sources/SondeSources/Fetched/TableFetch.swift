import Glibc
import SondeDatabases
import SondeInputs
public import SondeLists
import SondeRecords
import SondeSystem
import SondeTables
public import SondeTransfer

/// Fetches the tables that users added by URL, and stores those that may replace the former ones.
public struct TableFetch: Sendable {
  /// The size of the largest MMDB, in bytes; a table of text is as large as a published list.
  private static let longestDatabase = 1 << 30
  /// The time limit for a table.
  private static let timeout = Duration.seconds(600)

  private let folder: ListFolder
  private let fetch: ListFetch

  /// Creates a fetcher that stores its tables in a directory.
  public init(folder: ListFolder, client: HTTPClient) {
    self.folder = folder
    fetch = ListFetch(client: client, base: nil, timeout: Self.timeout)
  }

  /// Fetches a table, if it has changed; throws `CancellationError` only.
  public func update(_ table: OwnTable) async throws -> ListUpdate.Outcome {
    guard let place = WebPlace(table.place) else { return .kept("is no URL") }
    do {
      let draft = try FileDraft(of: folder.copy(of: table))
      let response = try await fetch.response(
        from: place.origin,
        place.path,
        unless: isWhole(table) ? table.copy?.entityTag ?? "" : "",
        atMost: Self.longestDatabase,
        to: draft.descriptor,
        redirect: place.path(ofRedirect:)
      )
      guard let response else { return .kept("is redirected too often") }
      return judge(response, draft, table)
    } catch {
      return try ListUpdate.Outcome(of: error, in: folder)
    }
  }

  /// Whether the copy is there.
  private func isWhole(_ table: OwnTable) -> Bool {
    (try? Descriptor(opening: folder.copy(of: table), O_RDONLY)) != nil
  }

  private func judge(
    _ response: Response,
    _ draft: FileDraft,
    _ table: OwnTable
  ) -> ListUpdate.Outcome {
    if response.status == 304, var same = table.copy {
      same.fetchedAt = Timestamp.now.seconds
      return keep(same, of: table) ?? .same(rows: same.rows)
    }
    // No login page can redirect what comes by HTTPS.
    if 300..<400 ~= response.status {
      return .kept("is redirected to another host: add the URL that it leads to")
    }
    if let reason = ListFetch.loginPage(response) { return .networkLost(reason, .loginPage) }
    guard response.status == 200 else { return .kept("answered HTTP \(response.status)") }
    let download = PackedFile(draft.descriptor)
    if let reason = ListVerdict.flaw(of: download.beginning(512)) { return .kept(reason) }
    do throws(SystemError) {
      return try store(draft, tag: ListFetch.tag(response.header("etag") ?? ""), table)
    } catch {
      return .unwritable("\(folder.path): \(error)")
    }
  }

  private func store(
    _ draft: FileDraft,
    tag: String,
    _ table: OwnTable
  ) throws(SystemError) -> ListUpdate.Outcome {
    switch Self.verdict(on: draft.path, try draft.descriptor.status().size, table) {
    case .fine(let rows, let odd):
      try draft.keep()
      let now = Timestamp.now.seconds
      return keep(OwnTable.Copy(fetchedAt: now, rows: rows, entityTag: tag), of: table)
        ?? .updated(rows: rows, odd: odd)
    case .refused(let reason): return .kept(reason)
    }
  }

  /// Stores the description; returns the problem, if there is one.
  private func keep(_ copy: OwnTable.Copy, of table: OwnTable) -> ListUpdate.Outcome? {
    var table = table
    table.copy = copy
    do throws(SystemError) {
      try folder.write(table)
      return nil
    } catch {
      return .unwritable("\(folder.path): \(error)")
    }
  }

  // MARK: - Judging

  private enum Verdict {
    case fine(rows: Int, odd: Int)
    case refused(String)
  }

  /// Whether a fetched file may replace the former one.
  private static func verdict(on draft: String, _ size: Int, _ table: OwnTable) -> Verdict {
    do {
      let (rows, odd) = try contents(of: draft, size, table)
      let flaw = ListVerdict.flaw(rows: rows, odd: odd, former: table.copy?.rows ?? 0)
      return flaw.map { .refused($0) } ?? .fine(rows: rows, odd: odd)
    } catch let error as TableFileError {
      let line = error.line.map { "line \($0): " } ?? ""
      return .refused("is no such table: \(line)\(error.reason)")
    } catch let error as TooLarge {
      return .refused(error.description)
    } catch {
      return .refused("is no such table: \(error)")
    }
  }

  private static func contents(
    of path: String,
    _ size: Int,
    _ table: OwnTable
  ) throws -> (rows: Int, odd: Int) {
    if let source = try MaxMindSource(path: path, named: table.name, table.choice) {
      return (source.networkCount, 0)
    }
    guard size <= ListFolder.longestList else {
      throw TooLarge(description: "is larger than \(ListFolder.longestList >> 20) MB")
    }
    let contents = try TableFile(path: path, table.choice, skippingFaults: true).contents()
    return (contents.table.count, contents.odd)
  }

  /// A table of text is too long to be read.
  private struct TooLarge: Error { let description: String }
}

extension ListUpdate.Outcome {
  /// What an error means that ended a download into a folder; throws what is none of a download.
  init(of error: any Error, in folder: ListFolder) throws {
    switch error {
    case let error as SystemError: self = .unwritable("\(folder.path): \(error)")
    case OutputFileError.busy: self = .kept("another run is fetching it")
    case OutputFileError.failed(let error), OutputFileError.unlockable(let error):
      self = .unwritable("\(folder.path): \(error)")
    case let error as TransferError:
      if case .notStored(let error) = error.reason {
        self = .unwritable("\(folder.path): \(error)")
      } else if let evidence = error.evidence, evidence.isLoss {
        self = .networkLost("\(error)", evidence)
      } else {
        self = .kept("\(error)")
      }
    default: throw error
    }
  }
}
