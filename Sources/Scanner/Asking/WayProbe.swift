import Providers
import Reachability
import Records
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
  private let quota: QuotaGate
  private let hasMetLoginPage = Atomic(false)

  /// Makes a probe.
  ///
  /// - Parameters:
  ///   - way: Where a connection must lead.
  ///   - api: Who must answer once a login page was met.
  ///   - client: Sends the question.
  ///   - budget: Counts it.
  ///   - quota: Gives leave for it.
  init(
    way: Reachability.Endpoint,
    api: any RemoteAPI,
    client: HTTPClient,
    budget: RequestBudget,
    quota: QuotaGate
  ) {
    connection = ConnectionProbe(endpoint: way, timeout: Self.timeout)
    self.api = api
    self.client = client
    self.budget = budget
    self.quota = quota
  }

  /// Takes what a transfer found out.
  func note(_ finding: Finding) {
    switch finding {
    case .loginPage: hasMetLoginPage.store(true, ordering: .relaxed)
    case .answered: hasMetLoginPage.store(false, ordering: .relaxed)
    case .provedOpen, .notResolved, .timedOut, .noRoute, .notPermitted, .inconclusive: return
    }
  }

  /// Tries the way once.
  func callAsFunction() async -> Finding {
    guard hasMetLoginPage.load(ordering: .relaxed) else { return await connection() }
    // Without a permit, what was found out last is as good as anything.
    guard let ticket = await quota.acquireAtOnce() else { return .loginPage }
    guard budget.spend() else {
      await quota.settle(ticket, .notSent)
      return .loginPage
    }
    var request = api.probe
    request.timeout = Self.timeout
    request.connectTimeout = Self.timeout
    do {
      return await settle(ticket, try await verdict(on: request))
    } catch {
      await quota.settle(ticket, .lost)
      return .inconclusive
    }
  }

  private func verdict(on request: Request) async throws -> ExchangeVerdict {
    do {
      let response = try await client.send(request)
      let reading = api.read(response, for: [], form: .single, time: Timestamp.now.seconds)
      return ExchangeVerdict(response, reading, form: .single)
    } catch let error as TransferError {
      return ExchangeVerdict(error)
    }
  }

  private func settle(_ ticket: Quota.Ticket, _ verdict: ExchangeVerdict) async -> Finding {
    if !verdict.wasSent { budget.refund() }
    await quota.settle(ticket, verdict.quota)
    // Whatever the provider itself answers, no login page stands in its place.
    if case .answered = verdict.quota { return .answered }
    return verdict.path.map { Finding($0) } ?? .inconclusive
  }
}
