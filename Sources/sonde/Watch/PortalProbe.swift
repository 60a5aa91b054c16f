import Reachability
import Synchronization
import Transfer

/// Tries the way to the endpoint and asks a page whose answer is known, which a login page cannot
/// give.
final class PortalProbe: Sendable {
  /// Below the second that the first state waits for its probe.
  private static let firstTimeout = Duration.milliseconds(900)
  private static let timeout = Duration.milliseconds(2500)
  /// A login page has been seen to send a few hundred kilobytes.
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

  /// What both tries tell together.
  ///
  /// Behind a login page connections are often dropped: then it is the page that is in the way. And a
  /// connection does not prove that a login page met before has gone: it accepts them, too.
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
    var request = Transfer.Request(url: page)
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

  /// Whether an answer is the page's own; its server's faults tell nothing.
  static func finding(of response: Response) -> Finding {
    if response.looksLikeLoginPage { return .loginPage }
    return (200..<300).contains(response.status) ? .answered : .inconclusive
  }
}
