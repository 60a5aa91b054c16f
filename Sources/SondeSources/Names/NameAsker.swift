import SondeAddresses
import SondeAsking
import SondeNames
import SondeReachability
import SondeStore
import Synchronization

/// Asks a resolver for the names or routes of addresses, and stores the answers until they expire.
final class NameAsker: Sendable {
  /// How often answers are recorded; longer than it takes to detect that there is no wait.
  private static let moment = Duration.milliseconds(100)

  /// Whether stored failures count, or are requested again.
  private let trustsFailures: Bool
  private let kind: NameKind
  private let resolver: NameResolver
  private let gate: NetworkGate
  private let memory: KeptNames
  private let lastNoted = Mutex<ContinuousClock.Instant?>(nil)
  private let hasAsked = Mutex(false)
  private let isWatched = Mutex(false)
  /// The questions that several askers may have in common; `nil` if there is only one.
  private let joint = Mutex<JointQuestions?>(nil)
  private let report: EventHandler

  /// Creates an asker that has not asked; throws `NameError` if there is no resolver.
  init(
    _ kind: NameKind,
    _ settings: SourceSettings,
    in surroundings: SourceSurroundings
  ) throws {
    let place = settings.resolver
    var configuration = NameResolver.Configuration(place)
    configuration.timeout = min(configuration.timeout, surroundings.rules.timeout)
    configuration.retries = min(configuration.retries, surroundings.rules.retries)
    let resolver = try surroundings.resolver.resolver(configuration)
    let servers = try NameResolver.servers(at: place)
    let endpoint = Endpoint(host: "\(servers[0].address)", port: servers[0].port)
    gate = surroundings.gate(to: endpoint) { Finding(await resolver.presence()) }
    memory = KeptNames(kind.scope, of: servers, in: surroundings.memory)
    (self.kind, self.resolver, report) = (kind, resolver, surroundings.report)
    trustsFailures = settings.trustsFailures
  }

  /// From now on asks about an address once in the run, also if several sources, or several lines,
  /// need its names.
  func join() {
    joint.withLock { joint in if joint == nil { joint = JointQuestions() } }
  }

  /// The names of distinct addresses; a fresh question ignores stored names.
  ///
  /// Throws `CancellationError` only.
  func names(of addresses: [Address], isFresh: Bool) async throws -> [Address: HostNames] {
    var known: [Address: HostNames] = [:]
    if !isFresh { known = await memory.names(of: addresses, withFailures: trustsFailures) }
    let open = addresses.filter { known[$0] == nil }
    if let joint = joint.withLock({ $0 }) {
      try await ask(about: open, jointly: joint, isFresh: isFresh, into: &known)
    } else {
      try await ask(about: open, into: &known)
    }
    return known
  }

  /// Asks about the addresses about which nobody else does, and waits for the answers of others.
  private func ask(
    about addresses: [Address],
    jointly joint: JointQuestions,
    isFresh: Bool,
    into known: inout [Address: HostNames]
  ) async throws {
    var open = addresses
    while !open.isEmpty {
      try Task.checkCancellation()
      let own = joint.enter(open, isFresh: isFresh, known: &known)
      var found: [Address: HostNames] = [:]
      do {
        try await ask(about: own, into: &found)
        joint.finish(own, found)
      } catch {
        joint.finish(own, [:])
        throw error
      }
      known.merge(found) { $1 }
      open.removeAll { known[$0] != nil }
      for address in open { known[address] = await joint.answer(about: address) }
      open.removeAll { known[$0] != nil }
    }
  }

  /// Asks until each address has names or a failure, or the network is lost for longer than is
  /// waited.
  private func ask(about addresses: [Address], into known: inout [Address: HostNames]) async throws
  {
    var (open, wasLost) = (addresses, false)
    if !open.isEmpty {
      gate.begin()
      announce()
    }
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

  /// Says once who learns the addresses.
  private func announce() {
    let isFirst = hasAsked.withLock { hasAsked in
      defer { hasAsked = true }
      return !hasAsked
    }
    if isFirst, let host = kind.host { report(.disclosure(source: kind.name, host: host)) }
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
    let found = try await resolver.names(of: addresses, kind.subject) { [self] index, names in
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

  /// Watches the network until the task is cancelled; of several callers, for the first.
  func watch() async {
    let isFirst = isWatched.withLock { isWatched in
      defer { isWatched = true }
      return !isWatched
    }
    guard isFirst else { return }
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
