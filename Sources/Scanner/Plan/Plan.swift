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
  public var entries: Int { tally.records + tally.duplicates }

  /// Reads everything that there is to read.
  ///
  /// - Parameters:
  ///   - reader: Gives the entries.
  ///   - caches: For each provider what it has answered lately; `nil` where that is not kept.
  ///   - limit: The entries after which no more are read; `nil` reads them all.
  ///   - report: Told at once what cannot be read.
  public init(
    reading reader: EntryReader,
    _ caches: [AnswerCache?],
    limit: Int? = nil,
    report: (InputError) -> Void
  ) async {
    toAsk = caches.map { _ in 0 }
    while true {
      do {
        switch try await reader.next(limit: 4096, patience: nil) {
        case .entries(let entries):
          for record in entries.block.records { tally.count(record) }
          tally.duplicates += entries.duplicates
          let addresses = entries.block.records.compactMap { $0.status == .ok ? $0.address : nil }
          let questions = await Self.questions(for: addresses, caches)
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

  /// How many of some addresses each provider would be asked for.
  private static func questions(for addresses: [Address], _ caches: [AnswerCache?]) async -> [Int] {
    var (open, counts) = (addresses, [Int]())
    for cache in caches {
      let known = await cache?.lookUp(open) ?? KnownAnswers()
      counts.append(open.count - known.positions.count)
      // An address without an answer is for the next provider.
      let settled = Set(
        zip(known.positions, known.block.records).filter { $1.status == .ok }.map(\.0)
      )
      open = open.indices.filter { !settled.contains($0) }.map { open[$0] }
    }
    return counts
  }
}
