import Providers
import Reachability
import Store
import Synchronization
import Transfer

/// The paths to the registries, and their requests: one gate for each place, whoever is asked there.
final class RegistryPaths: Sendable {
  let client: HTTPClient
  private let surroundings: SourceSurroundings
  private let gates = Mutex<[Reachability.Endpoint: NetworkGate]>([:])
  private let isClosed = Mutex(false)
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

  /// The gate before a URL, whose path is watched from now on; `nil` where nothing could watch it.
  func gate(to url: String) -> NetworkGate? {
    guard let endpoint = try? surroundings.path(BaseURL(url)) else { return nil }
    let (gate, isNew) = gates.withLock { gates in
      if let gate = gates[endpoint] { return (gate, false) }
      let gate = surroundings.gate(to: endpoint)
      gates[endpoint] = gate
      return (gate, true)
    }
    guard isNew else { return gate }
    if isClosed.withLock({ $0 }) { gate.close() }
    gate.begin()
    news.continuation.yield(gate)
    return gate
  }

  /// Follows all paths until the task is cancelled.
  ///
  /// - Parameter sendBack: Called at each loss.
  func watch(onLoss sendBack: @escaping @Sendable () -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for await gate in news.stream {
        group.addTask { [client] in
          await gate.watch(
            onLoss: { _ in
              client.giveUpAll()
              sendBack()
            },
            onChange: {}
          )
        }
      }
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
