import Addresses
public import Providers
public import Reachability
import Records
import Store
import Synchronization

/// One provider of the list, in order of preference.
public enum ListedProvider: Sendable {
  /// A web API.
  case remote(RemoteProvider)
  /// Databases on this machine.
  case local(LocalDatabases)

  /// The web API, if it is one.
  var remote: RemoteProvider? { if case .remote(let provider) = self { provider } else { nil } }

  /// The name in `--provider` and in messages.
  public var name: String {
    switch self {
    case .remote(let provider): provider.api.source.name
    case .local: "local"
    }
  }
}

/// The providers of a run: a later one answers only what the earlier ones could not.
public final class ProviderChain: Sendable {
  /// Addresses that the local databases are asked for at once.
  private static let localBatch = 512

  /// The providers in order of preference.
  public let providers: [ListedProvider]

  private let report: EventHandler
  private let handovers = Mutex(Handovers())
  private let untold = Bell()

  /// Makes a chain.
  ///
  /// - Parameters:
  ///   - providers: The providers in order of preference.
  ///   - report: Told when another provider takes over.
  public init(_ providers: [ListedProvider], report: @escaping EventHandler) {
    self.providers = providers
    self.report = report
    let remote = providers.compactMap(\.remote)
    for (index, provider) in remote.enumerated() {
      provider.know(Array(remote[..<index] + remote[(index + 1)...]))
    }
  }

  /// The addresses worth gathering for one question to the first provider that still answers.
  public var batchLimit: Int {
    for case .remote(let provider) in providers where provider.isAvailable {
      return provider.batchLimit
    }
    return Self.localBatch
  }

  /// Whether every answer is computed here.
  var isLocal: Bool { providers.allSatisfy { $0.remote == nil } }

  /// Whether the first provider is a web API that still answers.
  var asksRemotely: Bool {
    providers.first?.remote?.isAvailable ?? false
  }

  /// Requests that the first remote provider's quota allows at the moment, if it has one.
  public var remaining: Int? {
    for case .remote(let provider) in providers { return provider.remaining }
    return nil
  }

  /// The network as the first web API's monitor sees it; `nil` where nothing is watched.
  public var networkStatus: NetworkStatus? {
    providers.lazy.compactMap(\.remote?.network?.status).first
  }

  /// Runs `work` while the paths to the web APIs are watched.
  public func watchingNetwork<Result: Sendable>(
    _ work: () async -> Result
  ) async -> Result {
    await withTaskGroup(of: Void.self) { group in
      for provider in providers.compactMap(\.remote) {
        group.addTask { await provider.watchNetwork() }
      }
      group.addTask { await self.watchHandovers() }
      let result = await work()
      group.cancelAll()
      tell(handovers.withLock { $0.finish() })
      return result
    }
  }

  /// Lets no request out any more, because the run is about to end or to be cancelled: those under way
  /// come to their ends, and who waits for a permit, the network or another try gets a
  /// `CancellationError`.
  ///
  /// Tasks are cancelled one after the other: the permit of the first would let out another before
  /// that is cancelled, too, only to be cut off.
  public func stopAsking() {
    for provider in providers.compactMap(\.remote) { provider.stopAsking() }
  }

  /// Whether a provider has refused, or its quota of a day or longer was spent, in this run.
  public var hasRefusal: Bool {
    providers.contains { $0.remote?.hasRefused ?? false }
  }

  /// What is known of addresses without asking: what databases on this machine hold, where they are
  /// all there is, or what earlier runs were told by the first provider.
  func known(_ addresses: [Address]) async -> KnownAnswers {
    if let answers = localAnswers(to: addresses) { return KnownAnswers(all: answers) }
    var known = await providers.first?.remote?.cache?.lookUp(addresses) ?? KnownAnswers()
    // What the first knows nothing of, a later one may know.
    if providers.count > 1, known.removeAll(where: { $0.status == .unknown }) { known.view = nil }
    return known
  }

  /// What databases on this machine hold about addresses, where they are all there is.
  ///
  /// - Parameter addresses: The addresses.
  /// - Returns: A record for each, in that order; `nil` where others are asked, too.
  func localAnswers(to addresses: [Address]) -> RecordBlock? {
    guard providers.count == 1, case .local(let databases) = providers[0] else { return nil }
    return databases.answers(to: addresses)
  }

  /// Asks for addresses, provider after provider.
  ///
  /// - Parameters:
  ///   - addresses: The addresses.
  ///   - view: What was in the cache when ``known(_:)`` gave none of them.
  /// - Returns: A record for each address, in that order.
  /// - Throws: `CancellationError`, and nothing else.
  func lookUp(
    _ addresses: [Address],
    newerThan view: StoreView? = nil
  ) async throws -> RecordBlock {
    var beyondReach: [RemoteProvider] = []
    var block = try await askAll(addresses, newerThan: view, &beyondReach)
    // The path to one of them may have opened again while a later one was asked or waited for.
    while beyondReach.contains(where: \.isWorthAsking) {
      let lost = block.records.indices.filter { block.records[$0].status == .networkLost }
      if lost.isEmpty { break }
      let open = lost.map { addresses[$0] }
      let answers = try await askAll(open, newerThan: nil, &beyondReach)
      for (index, position) in lost.enumerated() {
        block.replace(position, with: answers.records[index], of: answers)
      }
    }
    return block
  }

  /// Asks every provider once, and collects those whose path was lost.
  private func askAll(
    _ addresses: [Address],
    newerThan view: StoreView?,
    _ beyondReach: inout [RemoteProvider]
  ) async throws -> RecordBlock {
    beyondReach = []
    let question = handovers.withLock { $0.begin() }
    var block = RecordBlock()
    for (index, provider) in providers.enumerated() {
      let open = index == 0 ? Array(addresses.indices) : block.openPositions
      if open.isEmpty { break }
      let asked = index == 0 ? addresses : open.map { addresses[$0] }
      let answers =
        switch provider {
        case .remote(let remote):
          try await remote.lookUp(asked, newerThan: index == 0 ? view : nil)
        case .local(let databases): databases.answers(to: asked)
        }
      if let remote = provider.remote, remote.network != nil, answers.hasLoss {
        beyondReach.append(remote)
      }
      noteWhoServes(index, answers, instead: block, of: open, question)
      if index == 0 { block = answers } else { block.merge(answers, at: open) }
    }
    noteLoss(block, question)
    return block
  }

  /// Says it once when addresses begin to go without an answer for want of a network.
  private func noteLoss(_ block: RecordBlock, _ question: UInt64) {
    // Of what a database on this machine answers it would not be true.
    guard !isLocal, providers.allSatisfy({ $0.remote != nil }) else { return }
    guard let lost = block.records.first(where: { $0.status == .networkLost }) else {
      return handovers.withLock { $0.noteAnswer(question: question) }
    }
    guard handovers.withLock({ $0.noteLoss() }) else { return }
    report(.gaveUpWaiting(reason: block.text(.message, of: lost) ?? ""))
  }

  /// Says it when answers begin to come from another provider than before.
  private func noteWhoServes(
    _ index: Int,
    _ answers: RecordBlock,
    instead failed: RecordBlock,
    of open: [Int],
    _ question: UInt64
  ) {
    var reason = ""
    if index == 0 {
      guard answers.records.contains(where: { $0.status == .ok && !$0.isCached }) else { return }
    } else {
      // An answer that an earlier provider does not have is no hand-over.
      let places = zip(answers.records, open).lazy.filter { $0.0.status == .ok }
      let failures = places.map { failed.records[$0.1] }
      guard
        let failure = failures.first(where: { $0.status == .failed || $0.status == .networkLost })
      else { return }
      reason = failed.text(.message, of: failure) ?? failure.status.name
    }
    tell(
      handovers.withLock { $0.note(index, reason: reason, question: question, now: .now) }
    )
    untold.ring()
  }

  /// Tells, when it has gone to and fro, who stays; until the task is cancelled.
  private func watchHandovers() async {
    while !Task.isCancelled {
      let round = untold.round
      let (change, due) = handovers.withLock { ($0.timePassed(now: .now), $0.due) }
      tell(change)
      guard (try? await untold.wait(after: round, until: due)) != nil else { return }
    }
  }

  private func tell(_ change: Handovers.Change?) {
    guard let change else { return }
    let (from, to) = (providers[change.from].name, providers[change.to].name)
    // A record's message names its provider, which is named here already.
    let prefix = "\(from): "
    let reason =
      change.reason.hasPrefix(prefix) ? change.reason.dropFirst(prefix.count) : change.reason[...]
    let message =
      change.to < change.from
      ? "\(to) takes over again" : "\(to) answers in place of \(from): \(reason)"
    report(.handover(from: from, to: to, isReturn: change.to == 0, message: message))
  }
}

extension LocalDatabases {
  /// A record for each address, in that order: ``Status/ok``, or ``Status/unknown`` with a message.
  fileprivate func answers(to addresses: [Address]) -> RecordBlock {
    var block = lookUp(addresses)
    block.explainUnknown("local has nothing about it")
    return block
  }
}

extension KnownAnswers {
  /// Answers to all addresses of a question, in their order.
  fileprivate init(all block: RecordBlock) {
    self.init()
    (self.block, positions) = (block, Array(block.records.indices))
  }
}

extension RecordBlock {
  /// The positions of the addresses that nobody has answered yet.
  var openPositions: [Int] { records.indices.filter { records[$0].status != .ok } }

  /// Whether an address was left for want of a network.
  var hasLoss: Bool { records.contains { $0.status == .networkLost } }

  /// Takes over what a later provider makes of the addresses at some positions.
  ///
  /// Its answers count, and a failure of its own where before nobody knew anything; an earlier
  /// failure stays when it has nothing.
  mutating func merge(_ later: RecordBlock, at positions: [Int]) {
    for (index, position) in positions.enumerated() {
      let record = later.records[index]
      switch (records[position].status, record.status) {
      case (_, .ok), (.unknown, .failed), (.unknown, .networkLost):
        replace(position, with: record, of: later)
      case (.unknown, .unknown):
        let words = [text(.message, of: records[position]), later.text(.message, of: record)]
        let both = words.compactMap { $0 }.joined(separator: "; ").confined
        records[position][.message] = append(text: both)
      default: break
      }
    }
  }

  /// Gives every unknown record without a reason this one.
  mutating func explainUnknown(_ reason: String) {
    var message: TextRange?
    for index in records.indices
    where records[index].status == .unknown && records[index][.message].isEmpty {
      let range = message ?? append(text: reason)
      message = range
      records[index][.message] = range
    }
  }
}
