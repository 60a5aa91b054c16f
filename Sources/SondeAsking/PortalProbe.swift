package import SondeReachability
import SondeSystem
package import SondeTransfer
import Synchronization

/// Tests the connection, and requests a page whose content no login page can imitate.
package final class PortalProbe: Sendable {
  private static let timeout = Duration.seconds(3)

  private let page: PortalPage
  private let connection: ConnectionProbe
  private let hasMetLoginPage = Atomic(false)

  package init(page: PortalPage, endpoint: SondeReachability.Endpoint) {
    self.page = page
    connection = ConnectionProbe(endpoint: endpoint, timeout: Self.timeout)
  }

  /// Runs both tests once, concurrently.
  package func callAsFunction() async -> Measurement {
    async let connected = connection.measure()
    let asked = await page.ask()
    if asked != .inconclusive { hasMetLoginPage.store(asked == .loginPage, ordering: .relaxed) }
    let met = hasMetLoginPage.load(ordering: .relaxed)
    var measurement = await connected
    measurement.finding = Self.finding(
      asked: asked,
      connected: measurement.finding,
      hasMetLoginPage: met
    )
    return measurement
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
}

/// A page in whose place a captive portal shows its login page.
///
/// It is requested once for the probes of all endpoints, which are made at about the same time.
package final class PortalPage: Sendable {
  /// Less than the second for which the first state waits for its probe.
  private static let firstTimeout = Duration.milliseconds(900)
  private static let timeout = Duration.milliseconds(2500)
  /// How long an answer holds for other probes.
  private static let sharing = Duration.milliseconds(100)
  /// Login pages of several hundred kilobytes have been observed.
  private static let maximumBody = 4 << 20

  private struct Asked: Sendable {
    let began: Duration
    let answer: Task<Finding, Never>
  }

  private let url: String
  private let client: HTTPClient
  private let last = Mutex<Asked?>(nil)

  package init(url: String, client: HTTPClient) { (self.url, self.client) = (url, client) }

  /// What the page shows; the answer to a request that has just begun counts for others, too.
  func ask() async -> Finding {
    let now = Clocks.steady
    let answer = last.withLock { last in
      if let last, now < last.began + Self.sharing { return last.answer }
      let isFirst = last == nil
      let answer = Task { await request(isFirst: isFirst) }
      last = Asked(began: now, answer: answer)
      return answer
    }
    return await answer.value
  }

  private func request(isFirst: Bool) async -> Finding {
    var request = SondeTransfer.Request(url: url)
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
