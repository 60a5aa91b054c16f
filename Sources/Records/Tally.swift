/// The books of a scan: how many entries came in, and how each of them ended.
///
/// What came in (``entries``, ``duplicates``) is counted where it is read, and what went out by
/// ``count(_:)`` where it is written; that they agree at the end is what ``balances`` says.
public struct Tally: Sendable, Equatable {
  /// Addresses after expansion and invalid items, duplicates included.
  public var entries = 0

  /// Entries that were answered by the record of an earlier one.
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

  /// Entries whose records were left out by a condition.
  public var excluded = 0

  /// Records that the cache answered.
  public var cached = 0

  /// Records that each source answered, by the number of ``Source``.
  public private(set) var sources = [Int](repeating: 0, count: Source.limit)

  /// Makes empty books.
  public init() {}

  /// Counts a record that was written.
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
    if let source = record.source { sources[Int(source.number)] += 1 }
  }

  /// How many records a source answered.
  public subscript(source: Source) -> Int {
    get { sources[Int(source.number)] }
    set { sources[Int(source.number)] = newValue }
  }

  /// The records that were counted.
  public var records: Int { ok + unknown + reserved + invalid + failed + networkLost }

  /// The entries that have ended, with a record or left out.
  public var settled: Int { records + excluded }

  /// Whether every entry ended, and ended once.
  public var balances: Bool { entries == duplicates + settled }

  /// Adds the books of another part of the same scan.
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
    for index in left.sources.indices { left.sources[index] += right.sources[index] }
  }
}
