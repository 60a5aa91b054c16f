import SondeReachability
import SondeTransfer
import Synchronization

/// Tests the connection, and requests a page whose content no login page can imitate.
final class PortalProbe: Sendable {
  /// Less than the second for which the first state waits for its probe.
  private static let firstTimeout = Duration.milliseconds(900)
  private static let timeout = Duration.milliseconds(2500)
  /// Login pages of several hundred kilobytes have been observed.
  private static let maximumBody = 4 << 20

  private let page: String
  private let client: HTTPClient
  private let connection: ConnectionProbe
  private let hasAsked = Atomic(false)
  private let hasMetLoginPage = Atomic(false)

  init(page: String, client: HTTPClient, connection: ConnectionProbe) {
    (self.page, self.client, self.connection) = (page, client, connection)
  }

  /// Runs both tests once, concurrently.
  func callAsFunction() async -> Finding {
    async let connected = connection()
    let asked = await ask()
    if asked != .inconclusive { hasMetLoginPage.store(asked == .loginPage, ordering: .relaxed) }
    let met = hasMetLoginPage.load(ordering: .relaxed)
    return Self.finding(asked: asked, connected: await connected, hasMetLoginPage: met)
  }

  /// Combines the results of both tests.
  ///
  /// A captive portal often drops other connections, so its login page is then the cause. It
  /// accepts connections, too, so a successful one does not prove that the login page is gone.
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

  /// The finding from an answer; an error of the page's server is inconclusive.
  static func finding(of response: Response) -> Finding {
    if response.looksLikeLoginPage { return .loginPage }
    return (200..<300).contains(response.status) ? .answered : .inconclusive
  }
}
