import SondeAsking
import SondeProviders
import SondeReachability
import SondeStore
import SondeTransfer
import Synchronization

/// The paths to the registries, and their requests: one gate for each place, whoever is asked there.
final class RegistryPaths: Sendable {
  let client: HTTPClient
  private let surroundings: SourceSurroundings
  private let gates = Mutex<[SondeReachability.Endpoint: NetworkGate]>([:])
  private let isClosed = Mutex(false)
  private let counts = Mutex(RequestCount())
  private let news:
    (stream: AsyncStream<NetworkGate>, continuation: AsyncStream<NetworkGate>.Continuation)

  /// - Parameter surroundings: How places are reached.
  /// - Throws: What making a client throws.
  init(_ surroundings: SourceSurroundings) throws {
    self.surroundings = surroundings
    client = try surroundings.client()
    // No more than there are registries and mirrors.
    news = AsyncStream.makeStream()
  }

  /// The requests to registries that were sent.
  var requests: RequestCount { counts.withLock { $0 } }

  /// Counts a request to a registry.
  func countRequest(isThrottled: Bool) {
    counts.withLock { counts in
      counts.sent += 1
      if isThrottled { counts.throttled += 1 }
    }
  }

  /// The gate before a URL, whose path is watched from now on; `nil` where nothing could watch it.
  func gate(to url: String) -> NetworkGate? {
    guard let endpoint = try? surroundings.path(BaseURL(url)) else { return nil }
    let (gate, isNew) = gates.withLock { gates in
      if let gate = gates[endpoint] { return (gate, false) }
      let gate = newGate(to: endpoint)
      gates[endpoint] = gate
      return (gate, true)
    }
    guard isNew else { return gate }
    if isClosed.withLock({ $0 }) { gate.close() }
    gate.begin()
    news.continuation.yield(gate)
    return gate
  }

  /// A path is closed also while the ledger of the windows is gone.
  private func newGate(to endpoint: SondeReachability.Endpoint) -> NetworkGate {
    NetworkGate(
      to: endpoint,
      probe: PathProbe(to: endpoint) { .inconclusive },
      patience: surroundings.rules.patience,
      outage: { [ledger = surroundings.ledger] in ledger?.outage },
      report: surroundings.report
    )
  }

  /// Follows all paths until the task is cancelled.
  ///
  /// - Parameter sendBack: Called at each loss.
  func watch(onLoss sendBack: @escaping @Sendable () -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.watchLedger() }
      for await gate in news.stream {
        group.addTask { [client] in
          await gate.watch(
            onLoss: { cause in
              // What was permitted before the ledger was gone is paid for.
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

  /// Has nobody wait any more for a path to open.
  func close() {
    isClosed.withLock { $0 = true }
    for gate in gates.withLock({ Array($0.values) }) { gate.close() }
  }

  /// The network as it is seen on a path that is lost, else on any; `nil` where none is watched.
  var status: NetworkStatus? {
    let statuses = gates.withLock { $0.values.compactMap(\.status) }
    return statuses.first { !($0.state?.verdict.isOnline ?? true) } ?? statuses.first
  }
}
