import SondeAddresses
public import SondeRecords
import SondeSystem

/// What the store held at a moment, as far as other processes can change it.
public struct StoreView: Sendable, Equatable {
  let session: UInt64
  let version: Int64
}

/// Answers found, and which of the addresses asked for each answers.
public struct KnownAnswers: Sendable {
  /// The records found: `isCached` is set, and `fetchedAt` is when the provider answered.
  public var block = RecordBlock()

  /// For each record the index of the address it answers, in ascending order.
  public var positions: [Int] = []

  /// What the store held when it was looked into; `nil` where it could not be.
  public var view: StoreView?

  /// Finds nothing.
  public init() {}

  /// Leaves some of the answers out.
  ///
  /// - Parameter isUnwanted: Which ones.
  /// - Returns: Whether there were any.
  public mutating func removeAll(where isUnwanted: (Record) -> Bool) -> Bool {
    let wanted = block.records.indices.filter { !isUnwanted(block.records[$0]) }
    guard wanted.count < block.records.count else { return false }
    positions = wanted.map { positions[$0] }
    block.records = wanted.map { block.records[$0] }
    return true
  }
}

/// Where the next page of a listing of the cache begins.
public struct CacheCursor: Sendable, Equatable {
  /// Which file is listed.
  let file: FileIdentity

  /// The row behind which the next page begins.
  let row: Int64
}

/// Some answers of the cache, the older ones first.
public struct CachePage: Sendable {
  /// The records: `isCached` is set, and `fetchedAt` is when the provider answered.
  public var block = RecordBlock()

  /// For each record, what its answer is an answer to.
  public var scopes: [AnswerScope] = []

  /// For each record, the number of its row, which rises from answer to answer; that of an address
  /// where some were asked for.
  public var rows: [Int] = []

  /// Where the next page begins; `nil` at the end.
  public var next: CacheCursor?

  /// Lists nothing.
  public init() {}

  /// Leaves the newest answer of each source to an address; of equally old ones the last.
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

/// Whose answer to which address.
private struct SourcedAddress: Hashable {
  let address: Address
  let provider: String
}

/// How much the cache holds.
public struct CacheStatistics: Sendable, Equatable {
  /// Addresses with an answer, of whatever age, counted once for each source.
  public var answers = 0

  /// Bytes on disk: the database, what is not yet written back to it, and the index of that.
  public var bytes = 0

  /// When the oldest answer was given, in seconds since 1970 UTC; `nil` without any.
  public var oldest: Int64?

  /// When the newest answer was given, in seconds since 1970 UTC; `nil` without any.
  public var newest: Int64?

  /// Describes an empty cache.
  public init() {}
}
