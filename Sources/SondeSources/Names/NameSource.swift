import SondeAddresses
import SondeAsking
import SondeCatalog
import SondeNames
import SondeReachability
import SondeRecords
import SondeStore
import Synchronization

/// The names of addresses as a source of columns, requested from a resolver and stored until they
/// expire.
final class NameSource: AwaitedSource {
  static let columns = [AddedColumn].names

  /// How often answers are recorded; longer than it takes to detect that there is no wait.
  private static let moment = Duration.milliseconds(100)

  /// Whether it is also asked about private addresses.
  let asksReserved: Bool

  /// Whether stored failures count, or are requested again.
  private let trustsFailures: Bool
  private let resolver: NameResolver
  private let gate: NetworkGate
  private let memory: KeptNames
  private let lastNoted = Mutex<ContinuousClock.Instant?>(nil)

  /// Creates a source without asking; throws `NameError` if there is no resolver.
  init(_ settings: SourceSettings, in surroundings: SourceSurroundings) throws {
    let place = settings.resolver
    var configuration = NameResolver.Configuration(place)
    configuration.timeout = min(configuration.timeout, surroundings.rules.timeout)
    configuration.retries = min(configuration.retries, surroundings.rules.retries)
    let resolver = try NameResolver(configuration)
    let servers = try NameResolver.servers(at: place)
    let endpoint = Endpoint(host: "\(servers[0].address)", port: servers[0].port)
    gate = surroundings.gate(to: endpoint) { Finding(await resolver.presence()) }
    memory = KeptNames(of: servers, in: surroundings.memory)
    self.resolver = resolver
    (asksReserved, trustsFailures) = (settings.asksPrivateNames, settings.trustsFailures)
  }

  var columns: [AddedColumn] { Self.columns }

  /// Asks about distinct addresses; a fresh question ignores stored names.
  ///
  /// A reserved address that is not private gets no value. Throws `CancellationError` only.
  func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues {
    let wanted = addresses.filter { $0.specialPurpose == nil || $0.isPrivate }
    var known: [Address: HostNames] = [:]
    if !isFresh { known = await memory.names(of: wanted, withFailures: trustsFailures) }
    try await ask(about: wanted.filter { known[$0] == nil }, into: &known)
    var values = AddedValues()
    for address in addresses {
      guard let names = known[address] else {
        values.appendNothing(Self.columns.count)
        continue
      }
      values.append(list: names.names)
      values.append(status: AddedStatus(names.status))
    }
    return values
  }

  /// Asks until each address has names or a failure, or the network is lost for longer than is
  /// waited.
  private func ask(about addresses: [Address], into known: inout [Address: HostNames]) async throws
  {
    var (open, wasLost) = (addresses, false)
    if !open.isEmpty { gate.begin() }
    while !open.isEmpty {
      let arrival = ContinuousClock.now
      if case .lost(let reason) = try await gate.pass(unless: { false }) {
        // After a wait, checks once more: the resolver may have answered between two looks of
        // the monitor.
        if ContinuousClock.now - arrival > Self.moment, await answers() { continue }
        for address in open { known[address] = .lost(reason, known: known[address]?.names ?? []) }
        return
      }
      // One question shows whether asking all of them again is useful.
      if wasLost, await !answers() {
        gate.take(.timedOut)
        continue
      }
      let found = try await ask(about: open)
      for (address, names) in zip(open, found) { known[address] = names }
      open = open.filter { known[$0]?.status == .networkLost }
      wasLost = !open.isEmpty
      gate.take(wasLost ? .timedOut : .answered)
    }
  }

  /// Tests whether the resolver answers, and reports that to the gate.
  private func answers() async -> Bool {
    guard await resolver.presence() == .answered else { return false }
    gate.take(.answered)
    return true
  }

  /// Asks about some addresses, and stores answers as they arrive, so that after a kill the next
  /// run need not repeat the questions.
  private func ask(about addresses: [Address]) async throws -> [HostNames] {
    let notes = memory.notes()
    async let keeping: Void = notes.keepAll()
    defer { notes.finish() }
    let found = try await resolver.names(of: addresses) { [self] index, names in
      if names.status != .networkLost, names.status != .failed { noteAnswer() }
      if let text = names.kept(of: addresses[index]) { notes.append(text) }
    }
    notes.finish()
    await keeping
    return found
  }

  /// Reports to the gate that the resolver answers while others wait, so that a later loss does not
  /// begin before.
  private func noteAnswer() {
    let isDue = lastNoted.withLock { last in
      let now = ContinuousClock.now
      guard last.map({ now - $0 >= Self.moment }) ?? true else { return false }
      last = now
      return true
    }
    if isDue { gate.take(.answered) }
  }

  func watch() async {
    await gate.watch(
      onLoss: { [resolver] cause in resolver.abandonAll("network lost: \(cause.rawValue)") },
      onChange: {}
    )
  }

  func stopAsking() {
    gate.close()
    resolver.stop()
  }

  /// The state of its network; `nil` before the first question.
  var networkStatus: NetworkStatus? { gate.status }
}
