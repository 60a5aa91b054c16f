import SondeCatalog
import SondeDatabases
import SondeInputs
import SondeLists
import SondeProviders
import SondeRecords
import SondeSystem
import SondeTransfer

/// Fetches published databases, and stores those that may replace the former ones.
struct DatabaseFetch: Sendable {
  /// The size of the largest database, packed or not, in bytes.
  private static let longest = 1 << 30
  /// The time limit for a download.
  private static let timeout = Duration.seconds(3_600)
  private static let mostRedirects = 5

  private let folder: ListFolder
  private let client: HTTPClient
  private let base: BaseURL?
  private let keys: [String: String]
  private let compiled: CompiledDatabases

  /// Creates a fetcher.
  ///
  /// - Parameters:
  ///   - folder: The directory of the databases.
  ///   - client: The client.
  ///   - base: A mirror; `nil` for the databases' own URLs.
  ///   - keys: The secrets of accounts, by the names of their settings.
  ///   - compiled: The directory of compiled databases, where nothing of a replaced one stays.
  init(
    folder: ListFolder,
    client: HTTPClient,
    base: BaseURL?,
    keys: [String: String],
    compiled: CompiledDatabases
  ) {
    (self.folder, self.client, self.base) = (folder, client, base)
    (self.keys, self.compiled) = (keys, compiled)
  }

  /// Fetches a database, if it has changed; throws `CancellationError` only.
  func update(_ database: PublishedDatabase) async throws -> ListUpdate.Outcome {
    do {
      let draft = try FileDraft(of: folder.path(of: database))
      return try await update(database, draft)
    } catch {
      return try ListUpdate.Outcome(of: error, in: folder)
    }
  }

  private func update(
    _ database: PublishedDatabase,
    _ draft: FileDraft
  ) async throws -> ListUpdate.Outcome {
    let former = folder.read(database)
    // Without a name, so that nothing stays of it if the process is killed.
    let download = try TemporaryFile.open(in: folder.path)
    let fields = Timestamp.now.wholeSeconds.split(separator: "-")
    let urls = database.urls(
      at: base?.text,
      year: Int(fields[0]) ?? 0,
      month: Int(fields[1]) ?? 0
    )
    for url in urls {
      let response = try await response(from: url, database, former?.entityTag ?? "", to: download)
      guard let response else { return .kept("is redirected too often") }
      // This month's is not there yet.
      if response.status == 404, url != urls.last { continue }
      if let reason = Self.flaw(of: response, database) { return reason }
      if response.status == 304, var same = former {
        same.fetchedAt = Timestamp.now.seconds
        try folder.write(same, of: database)
        return .same(rows: same.rows)
      }
      try Task.checkCancellation()
      let tag = ListFetch.tag(response.header("etag") ?? "")
      return try store(PackedFile(download), tag, database, former, draft)
    }
    return .kept("is not there")
  }

  private static func flaw(
    of response: Response,
    _ database: PublishedDatabase
  ) -> ListUpdate.Outcome? {
    switch response.status {
    case 200, 304: return nil
    case 401, 403:
      guard let credential = database.credential else { break }
      let settings = credential.settings.joined(separator: " and ")
      return .kept("answered HTTP \(response.status): check \(settings)")
    case 300..<400, 511:
      return .networkLost("a login page answered (HTTP \(response.status))", .loginPage)
    default: break
    }
    return .kept("answered HTTP \(response.status)")
  }
}

// MARK: - Asking

extension DatabaseFetch {
  /// Sends a request and follows redirects, also to other hosts, which get no secret; the content
  /// goes to a file.
  ///
  /// - Returns: The answer, which is a redirect if that leads to where nothing is fetched from;
  ///   `nil` after too many redirects.
  private func response(
    from start: String,
    _ database: PublishedDatabase,
    _ tag: String,
    to file: Descriptor
  ) async throws -> Response? {
    guard var place = WebPlace(start) else { return nil }
    let origin = place.origin
    for _ in 0...Self.mostRedirects {
      var request = Request(url: place.origin + place.path, timeout: Self.timeout)
      (request.maximumBody, request.destination) = (Self.longest, file)
      if !tag.isEmpty { request.headers.append((name: "If-None-Match", value: tag)) }
      if place.origin == origin { identify(&request, to: database) }
      let response = try await client.send(request)
      guard response.status != 304, 300..<400 ~= response.status,
        let next = try response.header("location").flatMap({ try Self.place($0, behind: place) })
      else { return response }
      place = next
    }
    return nil
  }

  private func identify(_ request: inout Request, to database: PublishedDatabase) {
    switch database.credential {
    case .basic(let account, let key):
      let words = "\(keys[account] ?? ""):\(keys[key] ?? "")"
      request.secretHeaders = [("Authorization", "Basic " + base64(Array(words.utf8)))]
    case .bearer(let token): request.bearerToken = keys[token]
    case nil: break
    }
  }

  /// Where a redirect leads: by HTTPS anywhere, otherwise only from a mirror without TLS to an
  /// address in the user's own network; `nil` for other targets.
  private static func place(_ location: String, behind place: WebPlace) throws -> WebPlace? {
    let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
    guard let next = WebPlace(isPath ? place.origin + location : location), !next.hasUser,
      let target = try Endpoint(url: next.origin), let former = try Endpoint(url: place.origin)
    else { return nil }
    return target.isSecure || !former.isSecure && target.isPrivate ? next : nil
  }
}

// MARK: - Judging

extension DatabaseFetch {
  /// Unpacks a download, and lets it take the place of the former one if it may.
  private func store(
    _ download: PackedFile,
    _ tag: String,
    _ database: PublishedDatabase,
    _ former: StoredDatabase?,
    _ draft: FileDraft
  ) throws -> ListUpdate.Outcome {
    // Its first bytes tell an error page from what may be a database.
    if let reason = ListVerdict.flaw(of: download.beginning(512)) { return .kept(reason) }
    do throws(PackedFile.Problem) {
      try download.unpack(to: draft.descriptor, member: ".mmdb", atMost: Self.longest)
    } catch {
      switch error {
      case .unusable(let reason): return .kept("is no such database: \(reason)")
      case .unwritable(let error): return try ListUpdate.Outcome(of: error, in: folder)
      }
    }
    let (rows, built): (Int, Int64)
    switch verdict(on: draft, database, former) {
    case .success(let findings): (rows, built) = findings
    case .failure(let refusal): return .kept(refusal.reason)
    }
    let stored = StoredDatabase(
      fetchedAt: Timestamp.now.seconds,
      rows: rows,
      built: built,
      entityTag: tag,
      size: try draft.descriptor.status().size
    )
    try draft.keep()
    try folder.write(stored, of: database)
    compiled.removeOutdated()
    return .built(rows: rows, date: built)
  }

  /// Why a database may not take the place of the former one.
  private struct Refusal: Error { let reason: String }

  /// The number of networks in a database, and when it was built, if it may replace the former one.
  private func verdict(
    on draft: FileDraft,
    _ database: PublishedDatabase,
    _ former: StoredDatabase?
  ) -> Result<(Int, Int64), Refusal> {
    do {
      let new = try DatedDatabase(path: draft.path)
      let choice = TableChoice(columns: [])
      guard let source = try MaxMindSource(path: draft.path, named: database.name, choice) else {
        return .failure(Refusal(reason: "is no MMDB"))
      }
      let old = former.flatMap { _ in try? DatedDatabase(path: folder.path(of: database)) }
      let flaw =
        old.flatMap { Self.flaw(of: new, former: $0) }
        ?? (database.isType(new.type) ? nil : "is of another type, '\(new.type)'")
        ?? ListVerdict.flaw(rows: source.networkCount, odd: 0, former: former?.rows ?? 0)
      return flaw.map { .failure(Refusal(reason: $0)) }
        ?? .success((source.networkCount, new.date))
    } catch let error as DatabaseError {
      return .failure(Refusal(reason: "is no such database: \(error.detail)"))
    } catch {
      return .failure(Refusal(reason: "is no such database: \(error)"))
    }
  }

  /// Why a database may not replace one: it is of another type, or older.
  private static func flaw(of new: DatedDatabase, former: DatedDatabase) -> String? {
    guard new.type == former.type else {
      return "is of the type '\(new.type)', and the former one '\(former.type)'"
    }
    guard new.date < former.date else { return nil }
    let days = [new.date, former.date].map { ClockFace($0, in: .utc).date }
    return "was built on \(days[0]), before the former one (\(days[1]))"
  }
}
