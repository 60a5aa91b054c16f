import SondeAddresses
import SondeProviders
package import SondeRecords
import SondeStore

/// Some of the addresses of a look-up: what one request asks for, again if need be.
struct PendingRequest: Sendable {
  private(set) var addresses: [Address]
  /// Where they stand in the look-up.
  private(set) var positions: [Int]
  var failures = 0
  /// Failures after which it is given up or split.
  var limit: Int
  /// Whether the endpoint for batches could not be found for it.
  var missedBatches = false
  /// Whether it is to be sent over a new connection.
  var needsFreshConnection = false

  /// Makes a request that has not been sent.
  ///
  /// - Parameters:
  ///   - addresses: The addresses.
  ///   - positions: Where they stand in the look-up.
  ///   - limit: Failures after which it is given up or split.
  init(_ addresses: [Address], at positions: [Int], limit: Int) {
    (self.addresses, self.positions, self.limit) = (addresses, positions, limit)
  }

  /// The same addresses in several requests, each with so many at the most.
  func split(_ size: Int) -> [PendingRequest] {
    stride(from: 0, to: positions.count, by: max(1, size)).map { start in
      request(start..<min(start + max(1, size), positions.count), limit: limit)
    }
  }

  /// Both halves, with so many tries each.
  func halves(limit: Int) -> [PendingRequest] {
    let (middle, end) = (positions.count / 2, positions.count)
    return [request(0..<middle, limit: limit), request(middle..<end, limit: limit)]
  }

  private func request(_ indices: Range<Int>, limit: Int) -> PendingRequest {
    PendingRequest(Array(addresses[indices]), at: Array(positions[indices]), limit: limit)
  }

  /// Leaves it the addresses with these indices.
  mutating func keep(_ indices: [Int]) {
    addresses = indices.map { addresses[$0] }
    positions = indices.map { positions[$0] }
  }
}

/// A batch on its way through one provider: the records of the addresses that are settled, and the
/// requests that the others still want.
struct Lookup: Sendable {
  /// A record for each address, in the order asked.
  private(set) var block = RecordBlock()

  /// The requests that are still to be made, the next one first.
  private var open: [PendingRequest]

  /// Its number among the look-ups of the provider.
  let turn: UInt64

  /// What was in the cache when it was looked into last.
  var view: StoreView?
  /// Whether what the cache knows does not count.
  var isFresh = false

  /// Faults that it has met.
  private(set) var faults = 0

  private let addresses: [Address]

  /// Makes a look-up in which nothing is settled.
  ///
  /// - Parameters:
  ///   - addresses: The addresses.
  ///   - retries: How often each request may fail and be made again.
  ///   - turn: Its number among the look-ups of the provider.
  ///   - view: What was in the cache when it knew none of the addresses.
  init(_ addresses: [Address], retries: Int, turn: UInt64 = 0, unknownIn view: StoreView? = nil) {
    (self.addresses, self.turn, self.view) = (addresses, turn, view)
    open = [PendingRequest(addresses, at: Array(addresses.indices), limit: retries)]
  }

  /// Takes the next request.
  mutating func next() -> PendingRequest? { open.isEmpty ? nil : open.removeFirst() }

  /// Puts requests back that are to be made next.
  mutating func retry(_ requests: PendingRequest...) { open.insert(contentsOf: requests, at: 0) }

  /// Puts requests behind the others.
  mutating func append(_ requests: [PendingRequest]) { open += requests }

  /// Counts a fault.
  mutating func countFault() { faults += 1 }

  /// Takes over the answers to a request; what is missing in them is left as it is.
  mutating func put(_ answers: Answers, for request: PendingRequest) {
    if request.positions.count == addresses.count {
      // The usual case costs no copy.
      block = answers.block
      return
    }
    fillUp()
    var missing = answers.missing[...]
    for (index, position) in request.positions.enumerated() {
      if missing.first == index {
        missing.removeFirst()
      } else {
        block.replace(position, with: answers.block.records[index], of: answers.block)
      }
    }
  }

  /// Takes over what is known of some addresses of a request, and leaves it the others.
  mutating func put(_ known: KnownAnswers, for request: inout PendingRequest) {
    guard !known.positions.isEmpty else { return }
    fillUp()
    for (index, position) in known.positions.enumerated() {
      block.replace(request.positions[position], with: known.block.records[index], of: known.block)
    }
    let answered = Set(known.positions)
    request.keep(request.positions.indices.filter { !answered.contains($0) })
  }

  /// Gives the addresses of a request a status and a reason.
  mutating func settle(_ request: PendingRequest, as status: Status, _ reason: String) {
    fillUp()
    let message = block.append(text: reason.confined)
    for position in request.positions {
      var record = Record(address: addresses[position], status: status)
      record[.message] = message
      block.records[position] = record
    }
  }

  private mutating func fillUp() {
    guard block.records.isEmpty else { return }
    block.records = addresses.map { Record(address: $0, status: .failed) }
  }
}

extension RecordBlock {
  /// Adds a record of another block, with its texts.
  package mutating func append(_ record: Record, of other: borrowing RecordBlock) {
    records.append(record)
    replace(records.count - 1, with: record, of: other)
  }

  /// Puts a record of another block, with its texts, in the place of one of this block's.
  mutating func replace(_ position: Int, with record: Record, of other: borrowing RecordBlock) {
    var copy = record
    for field in TextField.allCases {
      let range = record[field]
      let start = Int(range.offset)
      let text = other.bytes.span.extracting(start..<start + Int(range.count))
      copy[field] = range.isEmpty ? .none : append(text: text)
    }
    records[position] = copy
  }
}
