import Addresses
import Providers
import Reachability
import Records
import Synchronization
import Tables

/// Asks the registries of addresses whose networks addresses are in (RDAP, RFC 9082).
///
/// Each is asked within a window of its own that all processes share, and all of them at once. What is
/// known of a network is not asked for again, as far as ``OwnerReuse`` lets; nor is what another task is
/// asking for at the moment.
final class Owners: Sendable {
  struct State {
    var known: KnownOwners
    /// Who is the last in each lane.
    var lanes: [Prefix: LanePlace] = [:]
    var clients: [Registry: RegistryClient] = [:]
    var lastTurn: UInt64 = 0
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
    directories = DirectoryKeeper(
      in: places.folder,
      base: places.directories,
      over: paths,
      surroundings
    )
    kept = KeptOwners(in: surroundings.memory, mirror: places.mirror, reuse: reuse)
    state = Mutex(State(known: KnownOwners(reuse: reuse)))
  }

  /// An owner, and whether it was asked for another address.
  typealias Match = KnownOwners.Match

  /// Asks whose networks some addresses are in.
  ///
  /// - Parameter addresses: The addresses.
  /// - Returns: The owner of each, in that order.
  /// - Throws: `CancellationError`, and nothing else.
  func owners(of addresses: [Address]) async throws -> [Match] {
    // Here and now, so that of several batches the earlier one is asked first.
    let parts = parts(of: addresses)
    await recall(Set(addresses.map { reuse.block(of: $0) }))
    var matches = [Match](repeating: .failed, count: addresses.count)
    try await withThrowingTaskGroup(of: [(Int, Match)].self) { group in
      for part in parts { group.addImmediateTask { try await self.owners(of: part) } }
      for try await found in group { for (index, match) in found { matches[index] = match } }
    }
    return matches
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
  }

  /// The network as it is seen on the paths to the registries; `nil` where none is watched.
  var networkStatus: NetworkStatus? { paths.status }

  private var clients: [RegistryClient] { state.withLock { Array($0.clients.values) } }
}

// MARK: - Lanes

/// A place in the line of those who ask about addresses of a lane.
final class LanePlace: Sendable {
  /// Rings when who has it is done.
  let end = Bell()
  /// What nobody answered while he had it, by the block.
  let failures = Mutex<[Prefix: KnownOwners.Match]>([:])
}

extension Owners {
  /// The addresses of a batch that are in one lane.
  private struct Part: Sendable {
    let lane: Prefix
    let turn: UInt64
    let place: LanePlace
    let former: LanePlace?
    var addresses: [(index: Int, address: Address)] = []
  }

  /// Takes the places in the lanes of a batch's addresses.
  private func parts(of addresses: [Address]) -> [Part] {
    var parts: [Part] = []
    var numbers: [Prefix: Int] = [:]
    for (index, address) in addresses.enumerated() {
      let lane = reuse.lane(of: address)
      let number = numbers[lane] ?? parts.count
      if number == parts.count {
        numbers[lane] = number
        parts.append(part(of: lane))
      }
      parts[number].addresses.append((index, address))
    }
    return parts
  }

  private func part(of lane: Prefix) -> Part {
    let place = LanePlace()
    return state.withLock { state in
      state.lastTurn += 1
      defer { state.lanes[lane] = place }
      return Part(lane: lane, turn: state.lastTurn, place: place, former: state.lanes[lane])
    }
  }

  /// Asks about addresses of one lane, one after the other: the answer to one may hold for the next.
  private func owners(of part: Part) async throws -> [(Int, Match)] {
    defer {
      state.withLock { if $0.lanes[part.lane] === part.place { $0.lanes[part.lane] = nil } }
      part.place.end.ring()
    }
    try await part.former?.end.wait(after: 0, until: nil)
    // What nobody answered to the one before is not asked for again by who waited for him; nor is it
    // address by address.
    var failures = part.former?.failures.withLock { $0 } ?? [:]
    var matches: [(Int, Match)] = []
    for (index, address) in part.addresses {
      let block = reuse.block(of: address)
      if let match = known(address) ?? failures[block] {
        matches.append((index, match))
        continue
      }
      let match = try await ask(address, turn: part.turn)
      if !match.owner.isAnswer {
        failures[block] = match
        part.place.failures.withLock { $0[block] = match }
      }
      matches.append((index, match))
    }
    return matches
  }

  func known(_ address: Address) -> Match? { state.withLock { $0.known.match(address) } }

  /// Takes what earlier runs, or others meanwhile, have found out about some blocks.
  func recall(_ blocks: Set<Prefix>) async {
    let answers = await kept.answers(in: Array(blocks))
    guard !answers.isEmpty else { return }
    state.withLock { state in for answer in answers { state.known.note(answer) } }
  }
}
