import Providers
import Reachability
import Synchronization
import Transfer

/// Looks whether the way to a provider is open again.
///
/// A TCP connection tells, unless a login page was met: that accepts connections, too, so then the
/// provider itself must answer.
final class WayProbe: Sendable {
  private static let timeout = Duration.seconds(3)

  private let connection: ConnectionProbe
  private let api: any RemoteAPI
  private let client: HTTPClient
  private let budget: RequestBudget
  private let hasMetLoginPage = Atomic(false)

  init(way: Reachability.Endpoint, api: any RemoteAPI, client: HTTPClient, budget: RequestBudget) {
    connection = ConnectionProbe(endpoint: way, timeout: Self.timeout)
    self.api = api
    self.client = client
    self.budget = budget
  }

  /// Takes what a transfer found out.
  func note(_ finding: Finding) {
    switch finding {
    case .loginPage: hasMetLoginPage.store(true, ordering: .relaxed)
    case .answered: hasMetLoginPage.store(false, ordering: .relaxed)
    case .provedOpen, .notResolved, .timedOut, .noRoute, .inconclusive: return
    }
  }

  /// Tries the way once.
  func callAsFunction() async -> Finding {
    guard hasMetLoginPage.load(ordering: .relaxed) else { return await connection() }
    budget.countProbe()
    var request = api.probe
    request.timeout = Self.timeout
    request.connectTimeout = Self.timeout
    do {
      return try await client.send(request).looksLikeLoginPage ? .loginPage : .answered
    } catch let error as TransferError {
      return error.finding ?? .inconclusive
    } catch {
      return .inconclusive
    }
  }
}
