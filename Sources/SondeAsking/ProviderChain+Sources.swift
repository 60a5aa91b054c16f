package import SondeAddresses
package import SondeRecords
import SondeStore

extension ProviderChain {
  /// The result of asking a source.
  private struct Findings: Sendable {
    let source: Int
    let values: AddedValues
    /// For each record its row; `nil` if its address was not asked about.
    let rows: [Int?]
  }

  /// How many questions the sources accept in advance; 0 without sources.
  package var lookAhead: Int { sources.map(\.lookAhead).max() ?? 0 }

  /// How many questions the sources are asked at a time, since a record waits for its whole batch.
  package var sourceBatch: Int { sources.map(\.batchSize).min() ?? .max }

  /// Whether values of a source depend on what lines claim.
  package var readsClaims: Bool { sources.contains(where: \.readsClaims) }

  /// Whether a source has refused in this run, or its quota of a day or longer was spent.
  public var hasRefusedSource: Bool { sources.contains(where: \.hasRefused) }

  /// Whether a provider or source is asked about an address.
  package func isAsked(about address: Address) -> Bool {
    address.specialPurpose == nil || sources.contains { $0.asksReserved }
  }

  /// Whether a source is asked about the address of a record, even if no provider is.
  package func awaitsMore(of record: Record) -> Bool {
    // An address with a zone has only local meaning.
    guard !sources.isEmpty, let address = record.address, record[.item].isEmpty else {
      return false
    }
    return sources.contains { $0.wants(address, claiming: record.place.claims) }
  }

  /// Asks all providers and sources about the addresses of a batch at the same time.
  ///
  /// Returns a record for each address, or for each question if the batch is already answered.
  /// Throws `CancellationError` only.
  package func answers(to batch: Batch, isFresh: Bool = false) async throws -> RecordBlock {
    guard !sources.isEmpty else { return try await providerAnswers(to: batch, isFresh) }
    return try await withThrowingTaskGroup(of: Findings.self) { group in
      for (number, source) in sources.enumerated() {
        // Immediately, so that the earlier batch is asked first.
        group.addImmediateTask { try await Self.ask(source, number, batch, isFresh) }
      }
      var block = try await providerAnswers(to: batch, isFresh)
      var findings: [Findings?] = sources.map { _ in nil }
      for try await found in group { findings[found.source] = found }
      for index in block.records.indices {
        let found = zip(sources, findings).map { source, findings in
          let values = findings?.values ?? AddedValues()
          return RecordBlock.Found(source.columns, values, row: findings?.rows[index])
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
    _ batch: Batch,
    _ isFresh: Bool
  ) async throws -> Findings {
    let subjects = batch.subjects(withClaims: source.readsClaims)
    var (asked, rows): ([Batch.Subject], [Int?]) = ([], [])
    for subject in subjects.distinct {
      let isWanted = source.wants(subject.address, claiming: subject.claims)
      rows.append(isWanted ? asked.count : nil)
      if isWanted { asked.append(subject) }
    }
    var values = AddedValues()
    if !asked.isEmpty {
      values = try await source.values(
        of: asked.map(\.address),
        claiming: asked.map(\.claims),
        isFresh: isFresh
      )
    }
    return Findings(source: number, values: values, rows: subjects.places.map { rows[$0] })
  }
}
