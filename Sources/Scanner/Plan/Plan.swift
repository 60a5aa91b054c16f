import Addresses
public import Records
import Store

/// What a scan of some inputs would come to, found by reading them and the cache.
public struct Plan: Sendable {
  /// What the entries are; of an address, whether it would be asked about.
  public private(set) var tally = Tally()
  /// How many of the addresses each provider of the list would be asked for, if none before it
  /// answered anything but what it has answered lately.
  public private(set) var toAsk: [Int]
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
  ///   - filter: What records must be like to be written; `nil` for all.
  ///   - limit: The entries after which no more are read; `nil` reads them all.
  ///   - report: Told at once what cannot be read.
  public init(
    reading reader: EntryReader,
    _ caches: [AnswerCache?],
    filter: Filter? = nil,
    limit: Int? = nil,
    report: (InputError) -> Void
  ) async {
    toAsk = caches.map { _ in 0 }
    while true {
      do {
        switch try await reader.next(limit: 4096, patience: nil) {
        case .entries(let entries):
          let addresses = count(entries, filter)
          let (questions, excluded) = await Self.questions(for: addresses, caches, filter)
          tally.ok -= excluded
          tally.excluded += excluded
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

  /// Counts entries, and says which addresses are to be asked about.
  private mutating func count(_ entries: EntryBlock, _ filter: Filter?) -> [Address] {
    let bytes = entries.block.bytes.span
    var addresses: [Address] = []
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
      if record.isQuestion, let address = record.address { addresses.append(address) }
    }
    tally.duplicates += entries.duplicates
    return addresses
  }

  /// How many of some addresses each provider would be asked for, and how many are left out for what
  /// one has answered lately.
  private static func questions(
    for addresses: [Address],
    _ caches: [AnswerCache?],
    _ filter: Filter?
  ) async -> (counts: [Int], excluded: Int) {
    var (open, counts, excluded) = (addresses, [Int](), 0)
    for cache in caches {
      let known = await cache?.lookUp(open) ?? KnownAnswers()
      counts.append(open.count - known.positions.count)
      if let filter {
        let bytes = known.block.bytes.span
        for record in known.block.records where record.status == .ok {
          if filter.excludes(record, bytes: bytes) { excluded += 1 }
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
