import SondeAddresses
import SondeRecords

/// Answers as stored on disk, checked but not decoded.
struct StoredAnswers: Sendable {
  /// One answer.
  struct Item: Sendable {
    /// The index of the address in the request.
    var position: Int
    var address: Address
    var range: Range<Int>
    /// In seconds since 1970 UTC.
    var given: Int64
    var scope: Int64
  }

  private(set) var items: [Item] = []
  private var bytes: [UInt8] = []

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

  mutating func removeLast() { items.removeLast() }

  mutating func removeAll(where isUnwanted: (Item) -> Bool) { items.removeAll(where: isUnwanted) }

  /// Decodes the answers in order, without unreadable ones.
  consuming func decoded() -> (block: RecordBlock, items: [Item]) {
    var block = RecordBlock()
    var read: [Item] = []
    block.records.reserveCapacity(items.count)
    read.reserveCapacity(items.count)
    for item in items {
      var isClean = true
      let decoded = Record(address: item.address, in: bytes.span, at: item.range, &isClean)
      guard var record = decoded else { continue }
      // An earlier version stored texts unchanged.
      if !isClean { record.removeControls(from: &bytes) }
      record.fetchedAt = item.given
      block.records.append(record)
      read.append(item)
    }
    block.bytes = bytes
    // An earlier version stored the names of the providers.
    block.nameCountries()
    return (block, read)
  }
}
