import SondeAsking
import SondeProviders
import SondeReachability
import SondeStore
import SondeTransfer
import Synchronization

/// The paths to the services of a source: one gate per host.
final class SourcePaths: Sendable {
  let client: HTTPClient
  private let surroundings: SourceSurroundings
  private let gates = Mutex<[SondeReachability.Endpoint: NetworkGate]>([:])
  private let isClosed = Mutex(false)
  private let news:
    (stream: AsyncStream<NetworkGate>, continuation: AsyncStream<NetworkGate>.Continuation)

  /// Throws the errors of creating a client.
  init(_ surroundings: SourceSurroundings) throws {
    self.surroundings = surroundings
    client = try surroundings.client()
    // Bounded by the number of services and mirrors.
    news = AsyncStream.makeStream()
  }

  /// The gate of a URL, whose path is watched from now on; `nil` if it cannot be watched.
  ///
  /// A request with a secret may take another path than one without.
  func gate(to url: String, withSecret hasSecret: Bool = false) -> NetworkGate? {
    guard let endpoint = try? surroundings.path(BaseURL(url), hasSecret) else { return nil }
    let (gate, isNew) = gates.withLock { gates in
      if let gate = gates[endpoint] { return (gate, false) }
      // Also closed while the ledger of windows is unavailable.
      let gate = surroundings.gate(
        to: endpoint,
        outage: { [ledger = surroundings.ledger] in ledger?.outage }
      )
      gates[endpoint] = gate
      return (gate, true)
    }
    guard isNew else { return gate }
    if isClosed.withLock({ $0 }) { gate.close() }
    gate.begin()
    news.continuation.yield(gate)
    return gate
  }

  /// Watches all paths until the task is cancelled; calls `sendBack` at each loss.
  func watch(onLoss sendBack: @escaping @Sendable () -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.watchLedger() }
      for await gate in news.stream {
        group.addTask { [client] in
          await gate.watch(
            onLoss: { cause in
              // Requests that were permitted before the loss of the ledger are already paid for.
              if cause != .sharedUnreachable { client.giveUpAll() }
              sendBack()
            },
            onChange: {}
          )
        }
      }
    }
  }

  private func watchLedger() async {
    guard let ledger = surroundings.ledger else { return }
    for await _ in ledger.outages() {
      for gate in gates.withLock({ Array($0.values) }) { gate.noteOutage() }
    }
  }

  /// Ends all waiting for a path to open.
  func close() {
    isClosed.withLock { $0 = true }
    for gate in gates.withLock({ Array($0.values) }) { gate.close() }
  }

  /// The state of the network on a lost path, otherwise on any; `nil` if none is watched.
  var status: NetworkStatus? {
    let statuses = gates.withLock { $0.values.compactMap(\.status) }
    return statuses.first { !($0.state?.verdict.isOnline ?? true) } ?? statuses.first
  }
}
