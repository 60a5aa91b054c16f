import Addresses
import Records
import System

/// Answers as they are on the disk, checked but not yet decoded.
struct RawAnswers: Sendable {
  /// One answer.
  struct Item: Sendable {
    /// The index of the address in the question.
    var position: Int
    var address: Address
    /// Where it lies in the bytes.
    var range: Range<Int>
    /// When it was given, in seconds since 1970 UTC.
    var given: Int64
    /// What it is an answer to.
    var scope: Int64
  }

  var items: [Item] = []
  var bytes: [UInt8] = []

  /// Decodes the answers, in the order of the items; what cannot be read is left out.
  consuming func decoded() -> (block: RecordBlock, items: [Item]) {
    var block = RecordBlock()
    var read: [Item] = []
    block.records.reserveCapacity(items.count)
    read.reserveCapacity(items.count)
    for item in items {
      guard var record = Record(address: item.address, in: bytes.span, at: item.range) else {
        continue
      }
      record.fetchedAt = item.given
      block.records.append(record)
      read.append(item)
    }
    block.bytes = bytes
    return (block, read)
  }
}

extension Session {
  /// Finds the answers to some addresses, within a transaction.
  ///
  /// - Parameters:
  ///   - addresses: The addresses.
  ///   - scope: The number of the scope.
  ///   - now: The time.
  ///   - limit: The age of answers that are too old; `nil` for none.
  /// - Returns: The answers, in the order of the addresses.
  /// - Throws: ``StoreError``.
  func lookUp(
    _ addresses: [Address],
    inScope scope: Int64,
    now: Moment,
    youngerThan limit: Duration?
  ) throws(StoreError) -> RawAnswers {
    let places = try locate(addresses.map { $0.key(inScope: scope) })
    var hits: [Hit] = []
    hits.reserveCapacity(places.count)
    var isSorted = true
    for (position, place) in places.enumerated() where place != .none {
      isSorted = isSorted && place >= hits.last?.place ?? .none
      hits.append(Hit(place: place, position: position))
    }
    if !isSorted { hits.sort { $0.place < $1.place } }
    var found = try read(hits, of: addresses) { chunk in
      chunk.scope == scope && now.isFresh(chunk.given, youngerThan: limit)
    }
    if !isSorted { found.items.sort { $0.position < $1.position } }
    return found
  }

  /// An answer to be read.
  struct Hit {
    var place: Place
    var position: Int
  }

  /// What a row says of all its answers.
  struct ChunkHead {
    var scope: Int64
    var given: Moment
  }

  /// Reads answers in the order of their places.
  private func read(
    _ hits: [Hit],
    of addresses: [Address],
    where isWanted: (ChunkHead) -> Bool
  ) throws(StoreError) -> RawAnswers {
    let statement = try database.statement(
      """
      SELECT id, scope, given, uptime, boot, count, entries, checksum FROM answers WHERE id = ?1
      """
    )
    var found = RawAnswers()
    found.items.reserveCapacity(hits.count)
    var index = 0
    while index < hits.count {
      let chunk = hits[index].place.chunk
      var end = index + 1
      while end < hits.count, hits[end].place.chunk == chunk { end += 1 }
      statement.bind(1, chunk)
      let isThere = try statement.step()
      if isThere, let head = Self.head(of: statement), isWanted(head) {
        let count = statement.number(5)
        statement.withBytes(6) { bytes in
          guard let layout = ChunkLayout(bytes, count: count) else { return }
          for hit in hits[index..<end] where hit.place.position < layout.count {
            let address = addresses[hit.position]
            guard layout.address(at: hit.place.position, in: bytes) == address,
              let range = layout.answer(at: hit.place.position, in: bytes)
            else { continue }
            found.append(hit.position, address, bytes.extracting(range), head)
          }
        }
      }
      statement.reset()
      // The index, whose rows are whole, knows of no answer that is not there, but of some that
      // were too old.
      if !isThere, try chunk >= firstChunk() {
        throw StoreError(.damaged, "an answer is missing")
      }
      index = end
    }
    return found
  }

  /// What the row at hand says of itself; `nil` where its checksum does not match.
  ///
  /// The columns are those of the table `answers`, in their order.
  static func head(of statement: Statement) -> ChunkHead? {
    var hash = statement.withBytes(6) { bytes in
      var hash = Checksum()
      hash.update(bytes)
      return hash
    }
    let given = Moment(
      seconds: statement.number(2),
      uptime: statement.number(3),
      boot: statement.number(4)
    )
    let scope = statement.number(1)
    hash.update(id: statement.number(0), scope, given, count: statement.number(5))
    guard statement.optionalNumber(7) == Int64(bitPattern: hash.value) else { return nil }
    return ChunkHead(scope: scope, given: given)
  }
}

extension RawAnswers {
  fileprivate mutating func append(
    _ position: Int,
    _ address: Address,
    _ answer: Span<UInt8>,
    _ head: Session.ChunkHead
  ) {
    let start = bytes.count
    bytes.append(copying: answer)
    items.append(
      Item(
        position: position,
        address: address,
        range: start..<bytes.count,
        given: head.given.seconds,
        scope: head.scope
      )
    )
  }
}

extension Checksum {
  /// Takes the numbers of a row of answers, behind its bytes.
  mutating func update(id: Int64, _ scope: Int64, _ given: Moment, count: Int64) {
    for number in [id, scope, given.seconds, given.uptime, given.boot, count] {
      update(word: UInt64(bitPattern: number))
    }
  }
}
