package import SondeAddresses
package import SondeRecords
package import SondeStore
import Synchronization

extension ProviderChain {
  /// Asks the providers in order, or all at once, about addresses; returns a record for each, in
  /// order.
  ///
  /// ``known(_:)`` found none of them in `view` of the cache; `isFresh` ignores the cache. Throws
  /// `CancellationError` only.
  package func lookUp(
    _ addresses: [Address],
    newerThan view: StoreView? = nil,
    isFresh: Bool = false
  ) async throws -> RecordBlock {
    if let merge { return merge(try await askEach(addresses, isFresh), addresses) }
    var beyondReach: [RemoteProvider] = []
    var block = try await askAll(addresses, newerThan: view, isFresh, &beyondReach)
    // The path to one of them may have opened while a later one was asked.
    while beyondReach.contains(where: \.isWorthAsking) {
      let lost = block.records.indices.filter { block.records[$0].status == .networkLost }
      if lost.isEmpty { break }
      let open = lost.map { addresses[$0] }
      let answers = try await askAll(open, newerThan: nil, isFresh, &beyondReach)
      for (index, position) in lost.enumerated() {
        block.replace(position, with: answers.records[index], of: answers)
      }
    }
    return block
  }

  /// Asks all providers at the same time; returns their answers in order.
  private func askEach(_ addresses: [Address], _ isFresh: Bool) async throws -> [RecordBlock] {
    let question = handovers.withLock { $0.begin() }
    return try await withThrowingTaskGroup(of: (Int, RecordBlock).self) { group in
      for (index, provider) in providers.enumerated() {
        // Immediately, so that each is asked about the earlier batch first.
        group.addImmediateTask {
          switch provider {
          case .remote(let remote):
            (index, try await remote.lookUp(addresses, newerThan: nil, isFresh: isFresh))
          case .local(let databases): (index, databases.answers(to: addresses))
          }
        }
      }
      var answers = providers.map { _ in RecordBlock() }
      for try await (index, block) in group { answers[index] = block }
      noteLoss(answers.first(where: \.hasLoss) ?? RecordBlock(), question)
      return answers
    }
  }

  /// Asks each provider once, and collects those whose path was lost.
  private func askAll(
    _ addresses: [Address],
    newerThan view: StoreView?,
    _ isFresh: Bool,
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
          try await remote.lookUp(asked, newerThan: index == 0 ? view : nil, isFresh: isFresh)
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
}

extension RecordBlock {
  /// The positions of unanswered addresses.
  var openPositions: [Int] { records.indices.filter { records[$0].status != .ok } }

  /// Whether an address was unanswered for lack of a network.
  var hasLoss: Bool { records.contains { $0.status == .networkLost } }

  /// Merges a later provider's records of the addresses at some positions.
  ///
  /// Its answers are used, and its own failure where nothing was known before; an earlier failure
  /// is kept if it has nothing.
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
}
