import SondeProviders
package import SondeReachability
import SondeRecords
import SondeSystem
import SondeTransfer
import Synchronization

/// Looks whether the path to a provider is open again.
///
/// A TCP connection tells, unless a login page was met: that accepts connections, too, so then the
/// provider itself must answer.
package final class PathProbe: Sendable {
  /// The time for one try.
  static let timeout = Duration.seconds(3)

  /// `nil` where a connection tells nothing.
  private let connection: ConnectionProbe?
  private let question: @Sendable () async throws -> Finding
  private let hasMetLoginPage = Atomic(false)

  /// Makes a probe.
  ///
  /// - Parameters:
  ///   - path: Where a connection must lead.
  ///   - question: Asks whoever must answer once a login page was met.
  package init(
    to path: SondeReachability.Endpoint,
    question: @escaping @Sendable () async throws -> Finding
  ) {
    connection = ConnectionProbe(endpoint: path, timeout: Self.timeout)
    self.question = question
  }

  /// Makes a probe of a path on which no TCP connection need be accepted.
  package init(asking question: @escaping @Sendable () async -> Finding) {
    (connection, self.question) = (nil, question)
  }

  /// Takes what a transfer found out.
  func note(_ finding: Finding) {
    switch finding {
    case .loginPage: hasMetLoginPage.store(true, ordering: .relaxed)
    case .answered: hasMetLoginPage.store(false, ordering: .relaxed)
    case .provedOpen, .notResolved, .timedOut, .noRoute, .notPermitted, .inconclusive: return
    }
  }

  /// Tries the path once.
  func callAsFunction() async -> Finding {
    if let connection, !hasMetLoginPage.load(ordering: .relaxed) { return await connection() }
    return (try? await question()) ?? .inconclusive
  }
}

/// Asks a provider about nobody, within its quota and the budget of the run.
struct ProviderProbe: Sendable {
  let api: any RemoteAPI
  let client: HTTPClient
  let budget: RequestBudget
  let quota: QuotaGate

  /// Asks once.
  func callAsFunction() async throws -> Finding {
    // Without a permit, what was found out last is as good as anything.
    guard let ticket = await quota.acquireAtOnce() else { return .loginPage }
    guard budget.spend() else {
      await quota.settle(ticket, .notSent)
      return .loginPage
    }
    var request = api.probe
    request.timeout = PathProbe.timeout
    request.connectTimeout = PathProbe.timeout
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
  /// What a probe found out by it: whatever the provider itself answers, no login page stands in its
  /// place.
  var finding: Finding {
    if case .answered = quota { return .answered }
    return path.map { Finding($0) } ?? .inconclusive
  }
}
