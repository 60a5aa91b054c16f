public import SondeAddresses
public import SondeAsking
public import SondeNames
public import SondeReachability
public import SondeRecords
import SondeStore
import Synchronization

/// The names of addresses as a source of columns, asked of a resolver and kept as long as they hold.
public final class NameSource: AwaitedSource {
  /// The columns, in their order.
  public static let columns = [AddedColumn].names

  /// How often answers are noted, and longer than it takes to see that nothing is waited for.
  private static let moment = Duration.milliseconds(100)

  /// Whether it is asked about private addresses, too.
  public let asksReserved: Bool

  /// Whether failures that are kept count, or are asked for again.
  private let trustsFailures: Bool
  private let resolver: NameResolver
  private let gate: NetworkGate
  private let memory: KeptNames
  private let lastNoted = Mutex<ContinuousClock.Instant?>(nil)

  /// Makes a source; nothing is asked yet.
  ///
  /// - Parameters:
  ///   - place: Who is asked.
  ///   - asksPrivate: Whether about private addresses, too.
  ///   - trustsFailures: Whether failures that are kept count; otherwise they are asked for again.
  ///   - surroundings: What it needs of the run.
  /// - Throws: `NameError` where no resolver can be had.
  public init(
    asking place: ResolverPlace,
    aboutPrivate asksPrivate: Bool,
    trustingFailures trustsFailures: Bool = true,
    in surroundings: SourceSurroundings
  ) throws {
    var configuration = NameResolver.Configuration(place)
    configuration.timeout = min(configuration.timeout, surroundings.rules.timeout)
    configuration.retries = min(configuration.retries, surroundings.rules.retries)
    let resolver = try NameResolver(configuration)
    let servers = try NameResolver.servers(at: place)
    let endpoint = Endpoint(host: "\(servers[0].address)", port: servers[0].port)
    gate = surroundings.gate(to: endpoint) { Finding(await resolver.presence()) }
    memory = KeptNames(of: servers, in: surroundings.memory)
    (self.resolver, asksReserved, self.trustsFailures) = (resolver, asksPrivate, trustsFailures)
  }

  /// The columns, in their order.
  public var columns: [AddedColumn] { Self.columns }

  /// Asks about some addresses.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, each once.
  ///   - isFresh: Whether they are asked about whatever is kept.
  /// - Returns: A row for each; one without a value for a reserved address that is not private.
  /// - Throws: `CancellationError`, and nothing else.
  public func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues {
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

  /// Asks until each address has names or a failure, or the network is lost for longer than it is
  /// waited for.
  private func ask(about addresses: [Address], into known: inout [Address: HostNames]) async throws
  {
    var (open, wasLost) = (addresses, false)
    if !open.isEmpty { gate.begin() }
    while !open.isEmpty {
      let arrival = ContinuousClock.now
      if case .lost(let reason) = try await gate.pass(unless: { false }) {
        // Whoever has waited looks once more: it may have answered between two looks of the monitor.
        if ContinuousClock.now - arrival > Self.moment, await answers() { continue }
        for address in open { known[address] = .lost(reason, known: known[address]?.names ?? []) }
        return
      }
      // One question tells whether it is worth while to ask all of them again.
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

  /// Asks the resolver whether it answers, and has the gate know if it does.
  private func answers() async -> Bool {
    guard await resolver.presence() == .answered else { return false }
    gate.take(.answered)
    return true
  }

  /// Asks about some addresses, and keeps what is found as it comes: what a killed run has asked, the
  /// next one need not ask again.
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

  /// Has the gate know that the resolver answers, while others wait for their answers: a loss that comes
  /// later has not begun before.
  private func noteAnswer() {
    let isDue = lastNoted.withLock { last in
      let now = ContinuousClock.now
      guard last.map({ now - $0 >= Self.moment }) ?? true else { return false }
      last = now
      return true
    }
    if isDue { gate.take(.answered) }
  }

  /// Follows the network until the task is cancelled.
  public func watch() async {
    await gate.watch(
      onLoss: { [resolver] cause in resolver.abandonAll("network lost: \(cause.rawValue)") },
      onChange: {}
    )
  }

  /// Lets no question out any more.
  public func stopAsking() {
    gate.close()
    resolver.stop()
  }

  /// The network as it sees it; `nil` before it is asked.
  public var networkStatus: NetworkStatus? { gate.status }
}
