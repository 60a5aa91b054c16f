/// The accounts of a scan: the number of entries, and their outcomes.
///
/// Entries (``entries``, ``duplicates``) are counted when they are read, and records by
/// ``count(_:)`` when they are written; ``balances`` checks at the end that they agree.
public struct Tally: Sendable, Equatable {
  /// Addresses after expansion and invalid items, duplicates included.
  public var entries = 0

  /// Entries answered by the record of an earlier one.
  public var duplicates = 0

  /// Records with ``Status/ok``.
  public var ok = 0

  /// Records with ``Status/unknown``.
  public var unknown = 0

  /// Records with ``Status/reserved``.
  public var reserved = 0

  /// Records with ``Status/invalid``.
  public var invalid = 0

  /// Records with ``Status/failed``.
  public var failed = 0

  /// Records with ``Status/networkLost``.
  public var networkLost = 0

  /// Entries whose records were excluded by a condition.
  public var excluded = 0

  /// Records answered from the cache.
  public var cached = 0

  /// Records per provider, by the number of ``Source``.
  public private(set) var sources = [Int](repeating: 0, count: Source.limit)

  /// The providers that answered in this scan, as bits by the number of ``Source``.
  private var answering: UInt64 = 0

  /// For each source that is asked, the records without its answer; empty if there are none.
  public private(set) var faults: [FaultTally] = []

  /// Creates empty accounts.
  public init() {}

  /// Counts a written record.
  public mutating func count(_ record: borrowing Record) {
    switch record.status {
    case .ok: ok += 1
    case .unknown: unknown += 1
    case .reserved: reserved += 1
    case .invalid: invalid += 1
    case .failed: failed += 1
    case .networkLost: networkLost += 1
    }
    if record.isCached { cached += 1 }
    if let source = record.source {
      sources[Int(source.number)] += 1
      if !record.isCached { noteAnswer(of: source) }
    }
    if !record.faults.isEmpty { count(record.faults) }
  }

  /// Notes that a provider answered.
  public mutating func noteAnswer(of source: Source) { answering |= 1 << source.number }

  /// Whether a provider answered in this scan, not only from the cache.
  public func hasAnswer(of source: Source) -> Bool { answering & 1 << source.number != 0 }

  private mutating func count(_ faults: SourceFaults) {
    for source in 0..<SourceFaults.limit {
      let (failed, lost) = (faults.hasFailed(source) ? 1 : 0, faults.hasLost(source) ? 1 : 0)
      add(FaultTally(failed: failed, networkLost: lost), of: source)
    }
  }

  /// Adds records that lack a source's answer.
  public mutating func add(_ tally: FaultTally, of source: Int) {
    guard tally != FaultTally() else { return }
    while faults.count <= source { faults.append(FaultTally()) }
    faults[source].failed += tally.failed
    faults[source].networkLost += tally.networkLost
  }

  /// The number of records that a provider answered.
  public subscript(source: Source) -> Int {
    get { sources[Int(source.number)] }
    set { sources[Int(source.number)] = newValue }
  }

  /// The number of records counted.
  public var records: Int { ok + unknown + reserved + invalid + failed + networkLost }

  /// The entries that have been finished, either with a record or excluded.
  public var settled: Int { records + excluded }

  /// Whether every entry was finished exactly once.
  public var balances: Bool { entries == duplicates + settled }

  /// Adds the accounts of another part of the same scan.
  public static func += (left: inout Tally, right: Tally) {
    left.entries += right.entries
    left.duplicates += right.duplicates
    left.ok += right.ok
    left.unknown += right.unknown
    left.reserved += right.reserved
    left.invalid += right.invalid
    left.failed += right.failed
    left.networkLost += right.networkLost
    left.excluded += right.excluded
    left.cached += right.cached
    left.answering |= right.answering
    for index in left.sources.indices { left.sources[index] += right.sources[index] }
    for (source, faults) in right.faults.enumerated() { left.add(faults, of: source) }
  }
}

/// The records that lack the answer of a source that is asked.
public struct FaultTally: Sendable, Equatable {
  /// All servers asked kept failing or refused.
  public var failed: Int
  /// The network was lost before an answer arrived.
  public var networkLost: Int

  /// Creates a tally.
  public init(failed: Int = 0, networkLost: Int = 0) {
    (self.failed, self.networkLost) = (failed, networkLost)
  }
}
