package import SondeAddresses
package import SondeRecords
import SondeStore

extension ProviderChain {
  /// What came of asking a source.
  private struct Findings: Sendable {
    let source: Int
    let values: AddedValues
    /// For each address its row; `nil` where it was not asked about.
    let rows: [Int?]
  }

  /// How many questions the sources are to know at once; 0 where there are none.
  package var lookAhead: Int { sources.map(\.lookAhead).max() ?? 0 }

  /// The requests that sources have sent to registries of addresses.
  public var registryRequests: RequestCount {
    sources.map(\.registryRequests).reduce(into: RequestCount()) { sum, count in
      sum.sent += count.sent
      sum.throttled += count.throttled
    }
  }

  /// Whether anybody is asked about an address.
  package func isAsked(about address: Address) -> Bool {
    address.specialPurpose == nil || sources.contains { $0.asksReserved }
  }

  /// Whether a source is asked about the address of a record, also where no provider is.
  package func awaitsMore(of record: Record) -> Bool {
    // One with a zone means something only here.
    guard !sources.isEmpty, let address = record.address, record[.item].isEmpty else {
      return false
    }
    return sources.contains { $0.wants(address) }
  }

  /// Asks for the addresses of a batch, the providers and all sources at once.
  ///
  /// - Parameters:
  ///   - batch: The questions.
  ///   - isFresh: Whether all of them are asked whatever the cache knows.
  /// - Returns: A record for each address, or for each question where the batch is answered already.
  /// - Throws: `CancellationError`, and nothing else.
  package func answers(to batch: Batch, isFresh: Bool = false) async throws -> RecordBlock {
    guard !sources.isEmpty else { return try await providerAnswers(to: batch, isFresh) }
    return try await withThrowingTaskGroup(of: Findings.self) { group in
      for (number, source) in sources.enumerated() {
        // Here and now, so that the earlier batch is asked first.
        group.addImmediateTask { try await Self.ask(source, number, batch.addresses, isFresh) }
      }
      var block = try await providerAnswers(to: batch, isFresh)
      var findings: [Findings?] = sources.map { _ in nil }
      for try await found in group { findings[found.source] = found }
      for index in block.records.indices {
        let row = batch.answers == nil ? index : batch.address(of: index)
        let found = zip(sources, findings).map { source, findings in
          let values = findings?.values ?? AddedValues()
          return RecordBlock.Found(source.columns, values, row: findings?.rows[row])
        }
        block.add(to: index, found)
      }
      return block
    }
  }

  private func providerAnswers(to batch: Batch, _ isFresh: Bool) async throws -> RecordBlock {
    if let answers = batch.answers { return answers }
    return try await lookUp(batch.addresses, newerThan: batch.view, isFresh: isFresh)
  }

  private static func ask(
    _ source: any AwaitedSource,
    _ number: Int,
    _ addresses: [Address],
    _ isFresh: Bool
  ) async throws -> Findings {
    var (asked, rows): ([Address], [Int?]) = ([], [])
    for address in addresses {
      let isWanted = source.wants(address)
      rows.append(isWanted ? asked.count : nil)
      if isWanted { asked.append(address) }
    }
    let values =
      asked.isEmpty ? AddedValues() : try await source.values(of: asked, isFresh: isFresh)
    return Findings(source: number, values: values, rows: rows)
  }
}
