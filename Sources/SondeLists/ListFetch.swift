package import SondeCatalog
package import SondeProviders
package import SondeSystem
package import SondeTransfer

/// Fetches published lists, and checks them.
package struct ListFetch: Sendable {
  /// The result of a request.
  package enum Found {
    /// A list that may replace the former one, and the number of invalid lines in it.
    case new(StoredList, odd: Int)
    /// The former one is unchanged.
    case same(StoredList)
    /// No usable list, with the reason.
    case none(String)
    /// The network was lost, with the reason.
    case networkLost(String, PathEvidence)
  }

  /// The largest number of redirects within the same host.
  private static let mostRedirects = 3

  package let client: HTTPClient
  /// A mirror; `nil` for the lists' own URLs.
  package let base: BaseURL?
  package let timeout: Duration

  package init(client: HTTPClient, base: BaseURL?, timeout: Duration) {
    (self.client, self.base, self.timeout) = (client, base, timeout)
  }

  /// Requests a list, unless it is still the stored one; throws `CancellationError` only.
  package func find(_ list: PublishedList, unlike former: StoredList?) async throws -> Found {
    do {
      let response = try await response(
        from: list.url(at: base?.text, path: ""),
        list.path,
        unless: former?.entityTag ?? "",
        atMost: ListFolder.longestList
      ) { [base] in Self.path(of: $0, on: list.host, base) }
      guard let response else { return .none("is redirected too often") }
      return judge(response, as: list, former)
    } catch let error as TransferError {
      guard let evidence = error.evidence, evidence.isLoss else { return .none("\(error)") }
      return .networkLost("\(error)", evidence)
    }
  }

  /// Sends a request and follows redirects within its origin.
  ///
  /// - Parameters:
  ///   - origin: The beginning of all URLs.
  ///   - path: What is behind it at first.
  ///   - tag: The entity tag of the known version; empty without one.
  ///   - maximumBody: The largest answer, in bytes.
  ///   - file: The file that the content goes to; `nil` for the answer's body.
  ///   - redirect: The path of the URL in a redirect; `nil` for another origin.
  /// - Returns: The answer; `nil` after too many redirects.
  /// - Throws: The errors of a client.
  package func response(
    from origin: String,
    _ path: String,
    unless tag: String,
    atMost maximumBody: Int,
    to file: Descriptor? = nil,
    redirect: (String) -> String?
  ) async throws -> Response? {
    var path = path
    for _ in 0...Self.mostRedirects {
      var request = Request(url: origin + path, timeout: timeout)
      (request.maximumBody, request.destination) = (maximumBody, file)
      if !tag.isEmpty { request.headers.append((name: "If-None-Match", value: tag)) }
      let response = try await client.send(request)
      guard response.status != 304, 300..<400 ~= response.status,
        let next = response.header("location").flatMap(redirect)
      else { return response }
      path = next
    }
    return nil
  }

  /// The path of a redirect within the same host by HTTPS; `nil` for any other target.
  ///
  /// A mirror may name itself in its redirects.
  static func path(of location: String, on host: String, _ mirror: BaseURL? = nil) -> String? {
    let mirrored = mirror.map { ["\($0.text)/\(host)/", "\($0.path)/\(host)/"] } ?? []
    for origin in ["https://\(host)/"] + mirrored where location.hasPrefix(origin) {
      return "/" + location.dropFirst(origin.count)
    }
    return location.hasPrefix("/") && !location.hasPrefix("//") ? location : nil
  }

  private func judge(_ response: Response, as list: PublishedList, _ former: StoredList?) -> Found {
    let formerRows = former.map { ListVerdict.rows(of: $0, list) } ?? 0
    if response.status == 304, var former {
      (former.fetchedAt, former.rows) = (Timestamp.now.seconds, formerRows)
      return .same(former)
    }
    if let reason = Self.loginPage(response) { return .networkLost(reason, .loginPage) }
    guard response.status == 200 else { return .none("answered HTTP \(response.status)") }
    switch ListVerdict(of: response.body, as: list, former: formerRows) {
    case .refused(let reason): return .none(reason)
    case .fine(let rows, let odd):
      let stored = StoredList(
        fetchedAt: Timestamp.now.seconds,
        rows: rows,
        entityTag: Self.tag(response.header("etag") ?? ""),
        body: response.body
      )
      return .new(stored, odd: odd)
    }
  }

  /// Why an answer is a login page's; `nil` if it is none.
  package static func loginPage(_ response: Response) -> String? {
    guard 300..<400 ~= response.status || response.status == 511 else { return nil }
    return "a login page answered (HTTP \(response.status))"
  }

  /// A tag that can be sent back and stored on a line; empty for others.
  package static func tag(_ text: String) -> String {
    let isPlain = text.utf8.count <= 256 && text.utf8.allSatisfy { 0x20..<0x7f ~= $0 }
    return isPlain ? text : ""
  }
}
