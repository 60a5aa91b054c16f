import SondeAddresses
import SondeRecords

/// Answers as they are on the disk, checked but not yet decoded.
struct StoredAnswers: Sendable {
  /// One answer.
  struct Item: Sendable {
    /// The index of the address in the question.
    var position: Int
    var address: Address
    /// Where it lies in the bytes.
    var range: Range<Int>
    /// When it was given, in seconds since 1970 UTC.
    var given: Int64
    /// The number of what it is an answer to.
    var scope: Int64
  }

  private(set) var items: [Item] = []
  private var bytes: [UInt8] = []

  /// Adds an answer.
  mutating func append(
    _ answer: Span<UInt8>,
    to position: Int,
    _ address: Address,
    given: Int64,
    scope: Int64
  ) {
    let start = bytes.count
    bytes.append(copying: answer)
    items.append(
      Item(
        position: position,
        address: address,
        range: start..<bytes.count,
        given: given,
        scope: scope
      )
    )
  }

  /// Leaves the last answer out.
  mutating func removeLast() { items.removeLast() }

  /// Leaves some of the answers out.
  mutating func removeAll(where isUnwanted: (Item) -> Bool) { items.removeAll(where: isUnwanted) }

  /// Decodes the answers, in their order; what cannot be read is left out.
  consuming func decoded() -> (block: RecordBlock, items: [Item]) {
    var block = RecordBlock()
    var read: [Item] = []
    block.records.reserveCapacity(items.count)
    read.reserveCapacity(items.count)
    for item in items {
      var isClean = true
      let decoded = Record(address: item.address, in: bytes.span, at: item.range, &isClean)
      guard var record = decoded else { continue }
      // An earlier version kept texts as they came.
      if !isClean { record.removeControls(from: &bytes) }
      record.fetchedAt = item.given
      block.records.append(record)
      read.append(item)
    }
    block.bytes = bytes
    return (block, read)
  }
}
