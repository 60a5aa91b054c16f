import SondeAddresses
public import SondeAsking
public import SondeInputs
public import SondeRecords
import SondeStore

/// What a scan of some inputs would come to, found by reading them and the cache.
public struct Plan: Sendable {
  /// What the entries are; of an address, whether it would be asked about.
  public private(set) var tally = Tally()
  /// How many of the addresses each provider of the list would be asked for, if none before it
  /// answered anything but what it has answered lately.
  public private(set) var toAsk: [Int]
  /// What the sources that are asked would be asked.
  public private(set) var sources: SourcePlans
  /// What could not be read.
  public private(set) var inputErrors: [InputError] = []
  /// Whether the reading was stopped before its end.
  public private(set) var isInterrupted = false

  /// Whether there were more entries than were to be read.
  public private(set) var isOverLimit = false

  /// The entries that were read.
  public var entries: Int { tally.settled + tally.duplicates }

  /// Reads everything that there is to read.
  ///
  /// - Parameters:
  ///   - reader: Gives the entries.
  ///   - caches: For each provider what it has answered lately; `nil` where that is not kept.
  ///   - sources: Counts what sources would be asked.
  ///   - filter: What records must be like to be written; `nil` for all.
  ///   - limit: The entries after which no more are read; `nil` reads them all.
  ///   - report: Told at once what cannot be read.
  public init(
    reading reader: EntryReader,
    _ caches: [AnswerCache?],
    adding sources: SourcePlans = SourcePlans(),
    filter: Filter? = nil,
    limit: Int? = nil,
    report: (InputError) -> Void
  ) async {
    toAsk = caches.map { _ in 0 }
    self.sources = sources
    while true {
      do {
        switch try await reader.next(limit: 4096, patience: nil) {
        case .entries(let entries):
          let (addresses, reserved) = count(entries, filter)
          let (questions, excluded) = await Self.questions(for: addresses, caches, filter)
          tally.ok -= excluded.count
          tally.excluded += excluded.count
          await self.sources.count(addresses.filter { !excluded.contains($0) } + reserved)
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

  /// Counts entries, and says about which addresses providers are to be asked, and which others are
  /// left.
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
    return (addresses, reserved)
  }

  /// How many of some addresses each provider would be asked for, and which are left out for what one
  /// has answered lately.
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
      // An address without an answer is for the next provider.
      let settled = Set(
        zip(known.positions, known.block.records).filter { $1.status == .ok }.map(\.0)
      )
      open = open.indices.filter { !settled.contains($0) }.map { open[$0] }
    }
    return (counts, excluded)
  }
}
