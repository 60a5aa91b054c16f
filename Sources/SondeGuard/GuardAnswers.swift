package import SondeAddresses
package import SondeAsking
package import SondeRecords

/// The answers about the addresses of hits, of which the latest are remembered.
package struct GuardAnswers: Sendable {
  /// The number of answers that are remembered.
  private static let mostRemembered = 50_000

  /// How long an answer is remembered here; afterwards it may still be in the cache.
  private static let longestTime = Duration.seconds(3600)

  private var known: [Address: RecordBlock] = [:]
  private var begun = ContinuousClock.now

  package init() {}

  /// The answer about an address, if it is known.
  package func answer(about address: Address) -> RecordBlock? { known[address] }

  /// Takes answers, and forgets all others when there are too many, or they are old.
  package mutating func take(_ answers: [Address: RecordBlock]) {
    let isOld = ContinuousClock.now - begun > Self.longestTime
    if isOld || known.count + answers.count > Self.mostRemembered { (known, begun) = ([:], .now) }
    known.merge(answers) { _, new in new }
  }

  /// Asks about addresses, without duplicates, with several requests at a time.
  ///
  /// - Throws: `CancellationError` only.
  package static func ask(
    _ addresses: [Address],
    of chain: ProviderChain,
    atOnce: Int
  ) async throws -> [Address: RecordBlock] {
    let size = max(1, chain.batchLimit)
    let batches = stride(from: 0, to: addresses.count, by: size).map { start in
      Array(addresses[start..<min(start + size, addresses.count)])
    }
    return try await withThrowingTaskGroup(of: [Address: RecordBlock].self) { group in
      var (next, answers): (Int, [Address: RecordBlock]) = (0, [:])
      while next < min(max(1, atOnce), batches.count) {
        group.addTask { [batch = batches[next]] in try await ask(batch, chain) }
        next += 1
      }
      while let found = try await group.next() {
        answers.merge(found) { _, new in new }
        guard next < batches.count else { continue }
        group.addTask { [batch = batches[next]] in try await ask(batch, chain) }
        next += 1
      }
      return answers
    }
  }

  private static func ask(
    _ addresses: [Address],
    _ chain: ProviderChain
  ) async throws -> [Address: RecordBlock] {
    var answers: [Address: RecordBlock] = [:]
    var batch = Batch(mayRepeat: false)
    var asked: [Address] = []
    for address in addresses {
      guard address.specialPurpose == nil else {
        answers[address] = try await chain.answer(to: address).alone(0)
        continue
      }
      let question = Question(number: UInt64(asked.count), address: address)
      batch.append(question, unknownIn: nil, now: .now)
      asked.append(address)
    }
    guard !asked.isEmpty else { return answers }
    let block = try await chain.answers(to: batch)
    for (index, address) in asked.enumerated() { answers[address] = block.alone(index) }
    return answers
  }
}
