package import SondeAddresses
package import SondeRecords

/// Questions about some addresses, outside a scan.
extension ProviderChain {
  /// Asks about addresses, without duplicates, with several requests at a time.
  ///
  /// - Returns: For each address one record.
  /// - Throws: `CancellationError` only.
  package func answers(
    about addresses: [Address],
    atOnce: Int
  ) async throws -> [Address: RecordBlock] {
    let size = max(1, batchLimit)
    let batches = stride(from: 0, to: addresses.count, by: size).map { start in
      Array(addresses[start..<min(start + size, addresses.count)])
    }
    return try await withThrowingTaskGroup(of: [Address: RecordBlock].self) { group in
      var (next, answers): (Int, [Address: RecordBlock]) = (0, [:])
      while next < min(max(1, atOnce), batches.count) {
        group.addTask { [batch = batches[next]] in try await self.answers(about: batch) }
        next += 1
      }
      while let found = try await group.next() {
        answers.merge(found) { _, new in new }
        guard next < batches.count else { continue }
        group.addTask { [batch = batches[next]] in try await self.answers(about: batch) }
        next += 1
      }
      return answers
    }
  }

  /// Asks about addresses that fit into one request.
  private func answers(about addresses: [Address]) async throws -> [Address: RecordBlock] {
    var answers: [Address: RecordBlock] = [:]
    var batch = Batch(mayRepeat: false)
    var asked: [Address] = []
    for address in addresses {
      guard address.specialPurpose == nil else {
        answers[address] = try await answer(to: address).alone(0)
        continue
      }
      let question = Question(number: UInt64(asked.count), address: address)
      batch.append(question, unknownIn: nil, now: .now)
      asked.append(address)
    }
    guard !asked.isEmpty else { return answers }
    let block = try await self.answers(to: batch)
    for (index, address) in asked.enumerated() { answers[address] = block.alone(index) }
    return answers
  }
}
