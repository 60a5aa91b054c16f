import SondeProviders
package import SondeReachability
import SondeRecords
import SondeSystem
import SondeTransfer
import Synchronization

/// Tests whether the path to a provider is open again.
///
/// A TCP connection suffices, unless a login page was met, which accepts connections, too; then the
/// provider itself must answer.
package final class PathProbe: Sendable {
  /// The time limit of a test.
  static let timeout = Duration.seconds(3)

  /// `nil` if a connection is not conclusive.
  private let connection: ConnectionProbe?
  private let question: @Sendable () async throws -> Finding
  private let hasMetLoginPage = Atomic(false)

  /// Creates a probe that connects to `path`, or sends `question` after a login page was met.
  package init(
    to path: SondeReachability.Endpoint,
    question: @escaping @Sendable () async throws -> Finding
  ) {
    connection = ConnectionProbe(endpoint: path, timeout: Self.timeout)
    self.question = question
  }

  /// Creates a probe of a path that need not accept TCP connections.
  package init(asking question: @escaping @Sendable () async -> Finding) {
    (connection, self.question) = (nil, question)
  }

  /// Records the finding of a transfer.
  func note(_ finding: Finding) {
    switch finding {
    case .loginPage: hasMetLoginPage.store(true, ordering: .relaxed)
    case .answered: hasMetLoginPage.store(false, ordering: .relaxed)
    case .provedOpen, .notResolved, .timedOut, .noRoute, .notPermitted, .inconclusive: return
    }
  }

  func callAsFunction() async -> Finding {
    if let connection, !hasMetLoginPage.load(ordering: .relaxed) { return await connection() }
    return (try? await question()) ?? .inconclusive
  }
}

/// Sends a provider a request about no particular address, within its quota and the run's budget.
struct ProviderProbe: Sendable {
  let api: any RemoteAPI
  let client: HTTPClient
  let budget: RequestBudget
  let quota: QuotaGate

  func callAsFunction() async throws -> Finding {
    // Without a permit, the last finding is kept.
    guard let ticket = await quota.acquireAtOnce() else { return .loginPage }
    guard budget.spend() else {
      await quota.settle(ticket, .notSent)
      return .loginPage
    }
    var request = api.probe
    (request.timeout, request.connectTimeout) = (PathProbe.timeout, PathProbe.timeout)
    do {
      let verdict = try await verdict(on: request)
      if !verdict.wasSent { budget.refund() }
      await quota.settle(ticket, verdict.quota)
      return verdict.finding
    } catch {
      await quota.settle(ticket, .lost)
      throw error
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
}

extension ExchangeVerdict {
  /// The finding of a probe: any answer of the provider itself excludes a login page.
  var finding: Finding {
    if case .answered = quota { return .answered }
    return path.map { Finding($0) } ?? .inconclusive
  }
}
