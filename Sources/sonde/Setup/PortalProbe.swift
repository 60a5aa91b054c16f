import SondeReachability
import SondeTransfer
import Synchronization

/// Tries the path to the endpoint, and asks for a page whose answer is known and which a login page
/// cannot give.
final class PortalProbe: Sendable {
  /// Below the second that the first state waits for its probe.
  private static let firstTimeout = Duration.milliseconds(900)
  private static let timeout = Duration.milliseconds(2500)
  /// Login pages of a few hundred kilobytes have been seen.
  private static let maximumBody = 4 << 20

  private let page: String
  private let client: HTTPClient
  private let connection: ConnectionProbe
  private let hasAsked = Atomic(false)
  private let hasMetLoginPage = Atomic(false)

  init(page: String, client: HTTPClient, connection: ConnectionProbe) {
    self.page = page
    self.client = client
    self.connection = connection
  }

  /// Tries once, both at the same time.
  func callAsFunction() async -> Finding {
    async let connected = connection()
    let asked = await ask()
    if asked != .inconclusive { hasMetLoginPage.store(asked == .loginPage, ordering: .relaxed) }
    let met = hasMetLoginPage.load(ordering: .relaxed)
    return Self.finding(asked: asked, connected: await connected, hasMetLoginPage: met)
  }

  /// What the results of both tries mean together.
  ///
  /// A login page often drops other connections: then the page is what keeps the network away. And a
  /// connection does not prove that a login page seen before has gone: it accepts connections, too.
  static func finding(asked: Finding, connected: Finding, hasMetLoginPage: Bool) -> Finding {
    switch (asked, connected) {
    case (.loginPage, _): .loginPage
    case (.answered, .provedOpen): .answered
    case (_, .provedOpen): hasMetLoginPage ? .inconclusive : .provedOpen
    case (_, _): connected
    }
  }

  private func ask() async -> Finding {
    let isFirst = !hasAsked.exchange(true, ordering: .relaxed)
    var request = SondeTransfer.Request(url: page)
    request.timeout = isFirst ? Self.firstTimeout : Self.timeout
    request.connectTimeout = request.timeout
    request.isFreshConnection = true
    request.maximumBody = Self.maximumBody
    do {
      return Self.finding(of: try await client.send(request))
    } catch let error as TransferError where error.reason == .bodyTooLarge {
      return .loginPage
    } catch {
      return .inconclusive
    }
  }

  /// What an answer tells; an error of the page's server tells nothing.
  static func finding(of response: Response) -> Finding {
    if response.looksLikeLoginPage { return .loginPage }
    return (200..<300).contains(response.status) ? .answered : .inconclusive
  }
}
