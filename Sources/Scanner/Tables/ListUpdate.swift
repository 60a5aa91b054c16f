public import Providers
import Records
import System
public import Transfer

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

  /// A server may send elsewhere on the same host no oftener than this.
  private static let mostRedirects = 3

  private let folder: ListFolder
  private let client: HTTPClient
  private let base: BaseURL?
  private let timeout: Duration

  /// Makes an updater.
  ///
  /// - Parameters:
  ///   - folder: Where the lists are kept.
  ///   - client: Sends the requests.
  ///   - base: A mirror; `nil` for the lists' own places.
  ///   - timeout: The longest that a request takes.
  public init(folder: ListFolder, client: HTTPClient, base: BaseURL?, timeout: Duration) {
    (self.folder, self.client, self.base, self.timeout) = (folder, client, base, timeout)
  }

  /// Fetches a list, if it has changed.
  ///
  /// - Throws: `CancellationError`, and nothing else.
  public func update(_ list: PublishedList) async throws -> Outcome {
    let former = folder.read(list)
    do {
      let response = try await fetch(list, unless: former?.entityTag ?? "")
      guard let response else { return .kept("is redirected too often") }
      return take(response, of: list, former)
    } catch let error as TransferError {
      guard let evidence = error.evidence, evidence.isLoss else { return .kept("\(error)") }
      return .networkLost("\(error)", evidence)
    }
  }

  /// Sends the request, and follows where it is sent on the same host.
  ///
  /// - Returns: The answer; `nil` where it was sent on too often.
  private func fetch(_ list: PublishedList, unless tag: String) async throws -> Response? {
    var path = list.path
    for _ in 0...Self.mostRedirects {
      var request = Request(url: list.url(at: base?.text, path: path), timeout: timeout)
      request.maximumBody = ListFolder.longestList
      if !tag.isEmpty { request.headers.append((name: "If-None-Match", value: tag)) }
      let response = try await client.send(request)
      guard response.status != 304, 300..<400 ~= response.status,
        let next = response.header("location").flatMap({ Self.path(of: $0, on: list.host) })
      else { return response }
      path = next
    }
    return nil
  }

  /// Where a redirect leads on the same host by HTTPS; `nil` for anywhere else.
  static func path(of location: String, on host: String) -> String? {
    let origin = "https://\(host)/"
    if location.hasPrefix(origin) { return "/" + location.dropFirst(origin.count) }
    return location.hasPrefix("/") && !location.hasPrefix("//") ? location : nil
  }

  private func take(
    _ response: Response,
    of list: PublishedList,
    _ former: StoredList?
  ) -> Outcome {
    if response.status == 304, var former {
      former.fetchedAt = Timestamp.now.seconds
      return keep(former, as: list, .same(rows: former.rows))
    }
    if 300..<400 ~= response.status || response.status == 511 {
      return .networkLost("a login page answered (HTTP \(response.status))", .loginPage)
    }
    guard response.status == 200 else { return .kept("answered HTTP \(response.status)") }
    switch ListVerdict(of: response.body, as: list, former: former?.rows ?? 0) {
    case .refused(let reason): return .kept(reason)
    case .fine(let rows, let odd):
      let stored = StoredList(
        fetchedAt: Timestamp.now.seconds,
        rows: rows,
        entityTag: Self.tag(response.header("etag") ?? ""),
        body: response.body
      )
      return keep(stored, as: list, .updated(rows: rows, odd: odd))
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

  /// A tag that can be sent back, and kept on a line; nothing for others.
  private static func tag(_ text: String) -> String {
    let isPlain = text.utf8.count <= 256 && text.utf8.allSatisfy { 0x20..<0x7f ~= $0 }
    return isPlain ? text : ""
  }
}
