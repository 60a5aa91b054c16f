import SondeAddresses
import SondeAsking
import SondeProviders
import SondeReachability
import SondeRecords
import SondeTables
import Synchronization

/// Asks the address registries for the owners of networks (RDAP, RFC 9082).
///
/// All registries are asked concurrently, each within a window shared by all processes. Known
/// networks are not requested again, as far as ``OwnerReuse`` permits, nor are pending requests of
/// other batches repeated.
final class Owners: Sendable {
  struct State {
    var lanes: OwnerLanes
    /// For each batch the bell that rings when it is finished.
    var bells: [UInt64: Bell] = [:]
    var clients: [Registry: RegistryClient] = [:]
    /// The running workers; `nil` for one that has just started.
    var workers: [UInt64: Task<Void, Never>?] = [:]
    var lastWorker: UInt64 = 0
    var isStopped = false
    /// The reports about registries made so far, to avoid repetition.
    var told: Set<String> = []
  }

  let reuse: OwnerReuse
  let places: OwnerPlaces
  let surroundings: SourceSurroundings
  let paths: SourcePaths
  let directories: DirectoryKeeper
  let kept: KeptOwners
  let state: Mutex<State>

  /// Creates an instance that has not asked yet; throws the errors of creating a client.
  init(at places: OwnerPlaces, reuse: OwnerReuse, _ surroundings: SourceSurroundings) throws {
    (self.places, self.reuse, self.surroundings) = (places, reuse, surroundings)
    paths = try SourcePaths(surroundings)
    let directories = DirectoryKeeper(
      in: places.folder,
      base: places.directories,
      over: paths,
      surroundings
    )
    self.directories = directories
    kept = KeptOwners(in: surroundings.memory, mirror: places.mirror, reuse: reuse)
    let lanes = OwnerLanes(reuse: reuse) { [mirror = places.mirror] address in
      directories.place(of: address, mirror: mirror)
    }
    state = Mutex(State(lanes: lanes))
  }

  typealias Match = KnownOwners.Match
  typealias RegistryClient = ServiceClient<RegistryReading.Content>

  /// Asks for the owner of each address; throws `CancellationError` only.
  func owners(of addresses: [Address]) async throws -> [Match] {
    guard !addresses.isEmpty else { return [] }
    let bell = Bell()
    // Immediately, so that the earlier batch is asked first.
    let number = state.withLock { state in
      let number = state.lanes.enter(addresses)
      state.bells[number] = bell
      return number
    }
    do {
      await recall(Set(addresses.map { reuse.block(of: $0) }))
      try await loadDirectories(for: addresses)
      change { $0.begin(addresses) }
      try await bell.wait(after: 0, until: nil)
    } catch {
      abandon(number)
      throw error
    }
    let result = state.withLock { $0.lanes.result(of: number, addresses) }
    guard let result else { throw CancellationError() }
    return result
  }

  /// Loads IANA's files for unknown addresses.
  private func loadDirectories(for addresses: [Address]) async throws {
    for isIPv4 in [true, false] {
      let unknown = state.withLock { state in
        addresses.first { $0.isIPv4 == isIPv4 && state.lanes.known.match($0) == nil }
      }
      if let unknown { _ = try await directories.directory(for: unknown) }
    }
  }

  /// Removes a batch; after the last one, waiting for permits or a network is useless.
  private func abandon(_ number: UInt64) {
    let idle = state.withLock { state in
      state.bells[number] = nil
      state.lanes.abandon(number)
      return state.lanes.isIdle ? state.workers.values.compactMap(\.self) : []
    }
    for worker in idle { worker.cancel() }
  }

  /// Changes the lanes, and acts on the consequences.
  @discardableResult
  func change<Result>(_ event: (inout OwnerLanes) -> Result) -> Result {
    let (result, bells, hired) = state.withLock { state in
      let result = event(&state.lanes)
      let bells = state.lanes.takeFinished().compactMap { state.bells.removeValue(forKey: $0) }
      return (result, bells, state.lanes.hire(upTo: surroundings.rules.concurrency))
    }
    for bell in bells { bell.ring() }
    for registry in hired { beginWork(for: registry) }
    return result
  }

  private func beginWork(for registry: Registry) {
    let number = state.withLock { state in
      state.lastWorker += 1
      state.workers[state.lastWorker] = .some(nil)
      return state.lastWorker
    }
    // Immediately, so that the earlier question has the earlier place in the queue.
    let worker = Task.immediate { await self.work(for: registry, as: number) }
    state.withLock { if $0.workers[number] != nil { $0.workers[number] = worker } }
  }

  /// Like ``owners(of:)``, but asks again; known owners are kept until there is an answer.
  func renewedOwners(of addresses: [Address]) async throws -> [Match] {
    state.withLock { $0.lanes.known.renew(addresses) }
    defer { state.withLock { $0.lanes.known.reinstate(addresses) } }
    return try await owners(of: addresses)
  }

  /// Watches the paths to the registries until the task is cancelled.
  func watch() async {
    await paths.watch { [weak self] in
      for client in self?.clients ?? [] { client.sendBack() }
    }
  }

  /// Sends no more requests; running ones are finished.
  func stopAsking() {
    state.withLock { $0.isStopped = true }
    for client in clients { client.stop() }
    paths.close()
    change { $0.stop() }
  }

  /// The state of the network on the paths to the registries; `nil` if none is watched.
  var networkStatus: NetworkStatus? { paths.status }

  private var clients: [RegistryClient] { state.withLock { Array($0.clients.values) } }

  func known(_ address: Address) -> Match? { state.withLock { $0.lanes.known.match(address) } }

  /// Loads the answers about some blocks that earlier runs or other processes have stored.
  func recall(_ blocks: Set<Prefix>) async {
    let answers = await kept.answers(in: Array(blocks))
    guard !answers.isEmpty else { return }
    state.withLock { state in for answer in answers { state.lanes.known.note(answer) } }
  }
}
