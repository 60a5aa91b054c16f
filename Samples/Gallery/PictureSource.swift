import SondeAddresses
import SondeReachability
import SondeTransfer
import SondeWeb
import SondeWebApp

/// Why a list or picture is not available.
struct PictureError: Error, CustomStringConvertible {
  let description: String

  /// The content of the URL is not a picture, or the URL is not permitted.
  static let notAPicture = PictureError(description: "Not a picture")
}

/// Requests lists and pictures while watching the network.
final class PictureSource: Sendable {
  /// In bytes.
  static let largest = 10_000_000
  private static let timeout = Duration.seconds(10)
  private static let mostRedirects = 3

  private let origin: String
  private let place: SondeTransfer.Endpoint
  /// For the origin, at any address.
  private let client: WatchedClient
  /// For other servers, whose URLs are untrusted; public addresses only.
  private let careful: WatchedClient

  /// Watches the path to the origin.
  var monitor: NetworkMonitor { client.monitor }

  /// Starts watching the network.
  ///
  /// `GALLERY_URL` in the environment replaces the origin; proxies are set by curl's variables.
  init(environment: [String: String]) throws {
    let base = environment["GALLERY_URL"] ?? ""
    origin = redacted(url: base.isEmpty ? "https://picsum.photos" : base)
    guard let place = try SondeTransfer.Endpoint(url: origin) else {
      throw SetupError(description: "GALLERY_URL is no http or https URL")
    }
    self.place = place
    var configuration = HTTPClient.Configuration(userAgent: "gallery/1.0")
    var open = configuration
    open.proxies = try ProxyRules(environment: environment)
    client = try WatchedClient(of: origin, open)
    configuration.permitsAddress = { Address(bytes: $0)?.isPublic == true }
    careful = try WatchedClient(with: client.monitor, configuration)
  }

  /// Requests the page at the URL in an earlier page; `nil` for the first.
  ///
  /// - Throws: ``PictureError``, `NetworkLost`, `TransferError`.
  func page(at next: String?) async throws -> ListPage {
    let url = next ?? origin + "/v2/list?page=4&limit=15"
    guard isOwn(url) else { return ListPage(origin: origin, pictures: [], next: nil) }
    let response = try await client.send(Request(url: url, maximumBody: 1 << 20))
    guard response.status == 200 else {
      throw PictureError(description: "the list answers with status \(response.status)")
    }
    guard let entries = (try? JSON(parsing: response.body))?.elements else {
      throw PictureError(description: "what comes is no list")
    }
    let following = response.link("next", from: url).flatMap { isOwn($0) ? $0 : nil }
    let pictures = entries.compactMap { Picture($0) }
    return ListPage(origin: origin, pictures: pictures, next: following)
  }

  func image(of picture: Picture) async throws -> ImageFile {
    try await image(at: origin + picture.path)
  }

  /// Requests the picture at a URL, and follows redirects.
  ///
  /// - Throws: ``PictureError/notAPicture``, `NetworkLost`, `CancellationError`.
  func image(at url: String) async throws -> ImageFile {
    let end = ContinuousClock.now + Self.timeout
    var url = url
    for _ in 0...Self.mostRedirects {
      let response = try await answer(url, until: end)
      if let target = response.redirection(from: url) {
        url = target
      } else if response.status == 200, let image = ImageFile(response.body) {
        return image
      } else {
        break
      }
    }
    throw PictureError.notAPicture
  }

  private func answer(
    _ url: String,
    until end: ContinuousClock.Instant
  ) async throws -> SondeTransfer.Response {
    let left = end - .now
    guard left > .zero, let client = client(for: url) else { throw PictureError.notAPicture }
    let request = Request(
      url: url,
      timeout: left,
      connectTimeout: left,
      maximumBody: Self.largest
    )
    do {
      return try await client.send(request)
    } catch is TransferError {
      throw PictureError.notAPicture
    }
  }

  /// The client permitted to request a URL; `nil` if none is.
  private func client(for url: String) -> WatchedClient? {
    if isOwn(url) { return client }
    guard let place = try? SondeTransfer.Endpoint(url: url) else { return nil }
    return place.isSecure && place.port == 443 ? careful : nil
  }

  private func isOwn(_ url: String) -> Bool { (try? SondeTransfer.Endpoint(url: url)) == place }
}
