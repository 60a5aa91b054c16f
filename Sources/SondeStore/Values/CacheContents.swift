import SondeAddresses
public import SondeRecords
import SondeSystem

/// An identification of the store's content, as far as other processes can change it.
public struct StoreView: Sendable, Equatable {
  let session: UInt64
  let version: Int64
}

/// Answers found, and the addresses to which they belong.
public struct KnownAnswers: Sendable {
  /// The records found: `isCached` is true, and `fetchedAt` is the time of the provider's answer.
  public var block = RecordBlock()

  /// For each record the index of its address, in ascending order.
  public var positions: [Int] = []

  /// The view of the store at the time; `nil` if it could not be read.
  public var view: StoreView?

  /// Creates an empty result.
  public init() {}

  /// Adds the records of another block, whose positions are ``positions``, to those found before at
  /// `earlier` ones.
  mutating func add(_ other: RecordBlock, before earlier: [Int]) {
    let shift = UInt32(block.bytes.count)
    block.bytes += other.bytes
    let moved = other.records.map { record in
      var record = record
      for index in record.texts.indices where !record.texts[index].isEmpty {
        record.texts[index].offset += shift
      }
      return record
    }
    let all = zip(earlier + positions, block.records + moved).sorted { $0.0 < $1.0 }
    positions = all.map(\.0)
    block.records = all.map(\.1)
  }

  /// Removes the matching answers; returns whether there were any.
  public mutating func removeAll(where isUnwanted: (Record) -> Bool) -> Bool {
    let wanted = block.records.indices.filter { !isUnwanted(block.records[$0]) }
    guard wanted.count < block.records.count else { return false }
    positions = wanted.map { positions[$0] }
    block.records = wanted.map { block.records[$0] }
    return true
  }
}

/// The start of the next page of a listing.
public struct CacheCursor: Sendable, Equatable {
  let file: FileIdentity

  /// The row after which the next page starts.
  let row: Int64
}

/// A page of the cache's answers, the older ones first.
public struct CachePage: Sendable {
  /// The records: `isCached` is true, and `fetchedAt` is the time of the provider's answer.
  public var block = RecordBlock()

  /// For each record the scope of its answer.
  public var scopes: [AnswerScope] = []

  /// For each record the number of its row, in ascending order; the index of the address if
  /// addresses were requested.
  public var rows: [Int] = []

  /// The start of the next page; `nil` at the end.
  public var next: CacheCursor?

  /// Creates an empty page.
  public init() {}

  /// Keeps the newest answer of each source for an address; of equally old ones the last.
  mutating func keepNewest() {
    var newest: [SourcedAddress: Int] = [:]
    for (index, record) in block.records.enumerated() {
      guard let address = record.address else { continue }
      let key = SourcedAddress(address: address, provider: scopes[index].provider)
      if let other = newest[key] {
        let times = (block.records[other].fetchedAt ?? 0, record.fetchedAt ?? 0)
        if times.0 > times.1 { continue }
      }
      newest[key] = index
    }
    guard newest.count < block.records.count else { return }
    let kept = newest.values.sorted()
    block.records = kept.map { block.records[$0] }
    scopes = kept.map { scopes[$0] }
    rows = kept.map { rows[$0] }
  }
}

private struct SourcedAddress: Hashable {
  let address: Address
  let provider: String
}

/// The size of the cache.
public struct CacheStatistics: Sendable, Equatable {
  /// The number of addresses with an answer of any age, counted once per source.
  public var answers = 0

  /// The size on disk in bytes: the database, its log and the log's index.
  public var bytes = 0

  /// The time of the oldest answer, in seconds since 1970 UTC; `nil` if there are none.
  public var oldest: Int64?

  /// The time of the newest answer, in seconds since 1970 UTC; `nil` if there are none.
  public var newest: Int64?

  /// Creates the statistics of an empty cache.
  public init() {}
}
