import SondeAddresses
import SondeAsking
import SondeProviders
import SondeReachability
import SondeRecords
import SondeTables
import Synchronization

/// Asks the registries of addresses whose networks addresses are in (RDAP, RFC 9082).
///
/// Each is asked within a window of its own that all processes share, and all of them at once. What is
/// known of a network is not asked for again, as far as ``OwnerReuse`` lets; nor is what another batch
/// has asked for and not yet got.
final class Owners: Sendable {
  struct State {
    var lanes: OwnerLanes
    /// Each rings when a batch is at its end.
    var bells: [UInt64: Bell] = [:]
    var clients: [Registry: RegistryClient] = [:]
    /// Those at work; `nil` for one that has just begun.
    var workers: [UInt64: Task<Void, Never>?] = [:]
    var lastWorker: UInt64 = 0
    var isStopped = false
    /// What has been told of registries, each once.
    var told: Set<String> = []
  }

  let reuse: OwnerReuse
  let places: OwnerPlaces
  let surroundings: SourceSurroundings
  let paths: RegistryPaths
  let directories: DirectoryKeeper
  let kept: KeptOwners
  let state: Mutex<State>
  /// Rings when no more is to be asked.
  let stop = Bell()

  /// Makes one that has asked nobody yet.
  ///
  /// - Parameters:
  ///   - places: What is asked where.
  ///   - reuse: How far an answer holds.
  ///   - surroundings: How it is asked, and where answers and windows are kept.
  /// - Throws: What making a client throws.
  init(
    at places: OwnerPlaces,
    reuse: OwnerReuse,
    _ surroundings: SourceSurroundings
  ) throws {
    (self.places, self.reuse, self.surroundings) = (places, reuse, surroundings)
    paths = try RegistryPaths(surroundings)
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

  /// An owner, and whether it was asked for another address.
  typealias Match = KnownOwners.Match

  /// Asks whose networks some addresses are in.
  ///
  /// - Parameter addresses: The addresses.
  /// - Returns: The owner of each, in that order.
  /// - Throws: `CancellationError`, and nothing else.
  func owners(of addresses: [Address]) async throws -> [Match] {
    guard !addresses.isEmpty else { return [] }
    let bell = Bell()
    // Here and now, so that of several batches the earlier one is asked first.
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

  /// Has IANA's files at hand for what is not known.
  private func loadDirectories(for addresses: [Address]) async throws {
    for isIPv4 in [true, false] {
      let unknown = state.withLock { state in
        addresses.first { $0.isIPv4 == isIPv4 && state.lanes.known.match($0) == nil }
      }
      if let unknown { _ = try await directories.directory(for: unknown) }
    }
  }

  /// Forgets a batch; where it was the last one, nobody has to wait for a permit or a network any more.
  private func abandon(_ number: UInt64) {
    let idle = state.withLock { state in
      state.bells[number] = nil
      state.lanes.abandon(number)
      return state.lanes.isIdle ? state.workers.values.compactMap(\.self) : []
    }
    for worker in idle { worker.cancel() }
  }

  /// Changes the lanes, and acts on what comes of it.
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
    // Here and now, so that the earlier question has the earlier place before the window.
    let worker = Task.immediate { await self.work(for: registry, as: number) }
    state.withLock { if $0.workers[number] != nil { $0.workers[number] = worker } }
  }

  /// Asks whose networks some addresses are in, whatever is known, which stays until there is an answer.
  ///
  /// - Parameter addresses: The addresses.
  /// - Returns: The owner of each, in that order.
  /// - Throws: `CancellationError`, and nothing else.
  func renewedOwners(of addresses: [Address]) async throws -> [Match] {
    state.withLock { $0.lanes.known.renew(addresses) }
    defer { state.withLock { $0.lanes.known.reinstate(addresses) } }
    return try await owners(of: addresses)
  }

  /// Follows the paths to the registries until the task is cancelled.
  func watch() async {
    await paths.watch { [weak self] in
      for client in self?.clients ?? [] { client.sendBack() }
    }
  }

  /// Lets no request out any more; those under way come to their ends.
  func stopAsking() {
    state.withLock { $0.isStopped = true }
    for client in clients { client.stop() }
    paths.close()
    stop.ring()
    change { $0.stop() }
  }

  /// The network as it is seen on the paths to the registries; `nil` where none is watched.
  var networkStatus: NetworkStatus? { paths.status }

  private var clients: [RegistryClient] { state.withLock { Array($0.clients.values) } }

  func known(_ address: Address) -> Match? { state.withLock { $0.lanes.known.match(address) } }

  /// Takes what earlier runs, or others meanwhile, have found out about some blocks.
  func recall(_ blocks: Set<Prefix>) async {
    let answers = await kept.answers(in: Array(blocks))
    guard !answers.isEmpty else { return }
    state.withLock { state in for answer in answers { state.lanes.known.note(answer) } }
  }
}
