import SondeAddresses
public import SondeAsking
public import SondeInputs
public import SondeRecords
public import SondeSources
import SondeStore

/// The extent of a scan, determined by reading its inputs and the cache.
public struct Plan: Sendable {
  /// The kinds of entries; for an address, whether it would be asked about.
  public private(set) var tally = Tally()
  /// For each provider of the list, the number of addresses it would be asked about if no earlier
  /// one knew more than in its stored answers.
  public private(set) var toAsk: [Int]
  /// The requests of the sources.
  public private(set) var sources: [any SourcePlan]
  /// The inputs that could not be read.
  public private(set) var inputErrors: [InputError] = []
  /// Whether reading was interrupted.
  public private(set) var isInterrupted = false

  /// Whether there were more entries than the limit.
  public private(set) var isOverLimit = false

  /// The number of entries read.
  public var entries: Int { tally.settled + tally.duplicates }

  /// Reads all inputs, up to a limit of entries.
  ///
  /// `caches` has the stored answers of each provider; `nil` if they are not stored. `report` is
  /// called for each unreadable input.
  public init(
    reading reader: EntryReader,
    _ caches: [AnswerCache?],
    adding sources: [any SourcePlan] = [],
    filter: Filter? = nil,
    limit: Int? = nil,
    report: (InputError) -> Void
  ) async {
    toAsk = caches.map { _ in 0 }
    self.sources = sources
    while true {
      do {
        switch try await reader.next(limit: ReadStage.blockSize, patience: nil) {
        case .entries(let entries):
          let (addresses, reserved) = count(entries, filter)
          let (questions, excluded) = await Self.questions(for: addresses, caches, filter)
          tally.ok -= excluded.count
          tally.excluded += excluded.count
          let wanted = addresses.filter { !excluded.contains($0) } + reserved
          let claims = entries.claims(of: wanted)
          for source in self.sources.indices {
            await self.sources[source].count(wanted, claiming: claims)
          }
          toAsk = zip(toAsk, questions).map(+)
          isOverLimit = self.entries > limit ?? .max
          if isOverLimit { return }
        case .failure(let error):
          inputErrors.append(error)
          report(error)
        case .silence: continue
        case .end: return
        }
      } catch {
        isInterrupted = true
        return
      }
    }
  }

  /// Counts entries, and returns the addresses for providers, and the others that remain.
  private mutating func count(
    _ entries: EntryBlock,
    _ filter: Filter?
  ) -> (asked: [Address], reserved: [Address]) {
    let bytes = entries.block.bytes.span
    var (addresses, reserved): ([Address], [Address]) = ([], [])
    for record in entries.block.records {
      let isExcluded =
        if record.isQuestion {
          filter?.verdict(beforeAsking: record, bytes: bytes) == .no
        } else {
          filter?.excludes(record, bytes: bytes) ?? false
        }
      if isExcluded {
        tally.excluded += 1
        continue
      }
      tally.count(record)
      guard let address = record.address else { continue }
      if record.isQuestion { addresses.append(address) } else { reserved.append(address) }
    }
    tally.duplicates += entries.duplicates
    tally.excluded += entries.excluded
    return (addresses, reserved)
  }

  /// For each provider the number of addresses it would be asked about, and which are excluded
  /// because of a stored answer.
  private static func questions(
    for addresses: [Address],
    _ caches: [AnswerCache?],
    _ filter: Filter?
  ) async -> (counts: [Int], excluded: Set<Address>) {
    var (open, counts, excluded): ([Address], [Int], Set<Address>) = (addresses, [], [])
    for cache in caches {
      let known = await cache?.lookUp(open) ?? KnownAnswers()
      counts.append(open.count - known.positions.count)
      if let filter {
        let bytes = known.block.bytes.span
        for (position, record) in zip(known.positions, known.block.records)
        where record.status == .ok && filter.excludes(record, bytes: bytes, unaided: true) {
          excluded.insert(open[position])
        }
      }
      // An unanswered address goes to the next provider.
      let settled = Set(
        zip(known.positions, known.block.records).filter { $1.status == .ok }.map(\.0)
      )
      open = open.indices.filter { !settled.contains($0) }.map { open[$0] }
    }
    return (counts, excluded)
  }
}

extension EntryBlock {
  /// The crawlers that the lines of some of its addresses claim to come from, in their order.
  fileprivate func claims(of addresses: [Address]) -> [CrawlerClaims] {
    var claims: [Address: CrawlerClaims] = [:]
    for record in block.records where !record.place.claims.isEmpty {
      if let address = record.address { claims[address] = record.place.claims }
    }
    return addresses.map { claims[$0] ?? [] }
  }
}
