import Addresses

/// A row of answers, for those who go through all of them.
struct StoredChunk {
  let id: Int64
  let scope: Int64
  let given: Moment
  let addresses: [Address]

  /// Where each answer lies in the bytes; `nil` where it was deleted.
  let answers: [Range<Int>?]

  let bytes: [UInt8]

  /// The bytes without some answers; the others keep their positions.
  func bytes(without removed: Set<Int>) -> [UInt8] {
    var writer = ChunkWriter(isCut: false)
    for (position, address) in addresses.enumerated() {
      let range = removed.contains(position) ? nil : answers[position]
      let nothing = address.isIPv4 ? Address(ipv4: 0) : Address(high: 0, low: 0)
      writer.append(
        range == nil ? nothing : address,
        given: given.seconds,
        answer: bytes.span.extracting(range ?? 0..<0)
      )
    }
    writer.finish()
    return writer.chunks.first?.bytes ?? []
  }
}

extension Session {
  /// The first whole row from a number on, within a transaction; `nil` where there is none.
  func chunk(from first: Int64) throws(StoreError) -> StoredChunk? {
    let statement = try database.statement(
      """
      SELECT id, scope, given, uptime, boot, count, entries, checksum FROM answers
      WHERE id >= ?1 ORDER BY id
      """
    )
    statement.bind(1, first)
    defer { statement.reset() }
    while try statement.step() {
      guard let head = Self.head(of: statement) else { continue }
      let (id, count) = (statement.number(0), statement.number(5))
      let chunk = statement.withBytes(6) { bytes -> StoredChunk? in
        guard let layout = ChunkLayout(bytes, count: count) else { return nil }
        return StoredChunk(
          id: id,
          scope: head.scope,
          given: head.given,
          addresses: (0..<layout.count).map { layout.address(at: $0, in: bytes) },
          answers: (0..<layout.count).map { layout.answer(at: $0, in: bytes) },
          bytes: [UInt8](copying: bytes)
        )
      }
      if let chunk { return chunk }
    }
    return nil
  }
}
