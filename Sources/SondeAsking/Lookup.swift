import SondeAddresses
import SondeProviders
package import SondeRecords
import SondeStore

/// The addresses of one request within a look-up.
struct PendingRequest: Sendable {
  private(set) var addresses: [Address]
  /// Their positions in the look-up.
  private(set) var positions: [Int]
  var failures = 0
  /// The number of failures after which it is abandoned or split.
  var limit: Int
  /// Whether the endpoint for batches was not found.
  var missedBatches = false
  var needsFreshConnection = false

  init(_ addresses: [Address], at positions: [Int], limit: Int) {
    (self.addresses, self.positions, self.limit) = (addresses, positions, limit)
  }

  /// Splits it into requests of a maximum size.
  func split(_ size: Int) -> [PendingRequest] {
    stride(from: 0, to: positions.count, by: max(1, size)).map { start in
      request(start..<min(start + max(1, size), positions.count), limit: limit)
    }
  }

  /// Splits it into halves with a number of attempts each.
  func halves(limit: Int) -> [PendingRequest] {
    let (middle, end) = (positions.count / 2, positions.count)
    return [request(0..<middle, limit: limit), request(middle..<end, limit: limit)]
  }

  private func request(_ indices: Range<Int>, limit: Int) -> PendingRequest {
    PendingRequest(Array(addresses[indices]), at: Array(positions[indices]), limit: limit)
  }

  /// Keeps only the addresses with some indices.
  mutating func keep(_ indices: [Int]) {
    addresses = indices.map { addresses[$0] }
    positions = indices.map { positions[$0] }
  }
}

/// A batch in progress at one provider: settled records, and the requests for other addresses.
struct Lookup: Sendable {
  /// A record for each address, in the order of the request.
  private(set) var block = RecordBlock()

  /// The requests still to be sent, in order.
  private var open: [PendingRequest]

  /// The number of the look-up at the provider.
  let turn: UInt64

  /// The last view of the cache.
  var view: StoreView?
  /// Whether to ignore the cache.
  var isFresh = false

  private(set) var faults = 0

  private let addresses: [Address]

  init(_ addresses: [Address], retries: Int, turn: UInt64 = 0, unknownIn view: StoreView? = nil) {
    (self.addresses, self.turn, self.view) = (addresses, turn, view)
    open = [PendingRequest(addresses, at: Array(addresses.indices), limit: retries)]
  }

  mutating func next() -> PendingRequest? { open.isEmpty ? nil : open.removeFirst() }

  /// Inserts requests to be sent next.
  mutating func retry(_ requests: PendingRequest...) { open.insert(contentsOf: requests, at: 0) }

  mutating func append(_ requests: [PendingRequest]) { open += requests }

  mutating func countFault() { faults += 1 }

  /// Takes the answers to a request; missing ones are not changed.
  mutating func put(_ answers: Answers, for request: PendingRequest) {
    if request.positions.count == addresses.count {
      // Avoids a copy in the usual case.
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

  /// Takes the known answers about some addresses of a request, which keeps the others.
  mutating func put(_ known: KnownAnswers, for request: inout PendingRequest) {
    guard !known.positions.isEmpty else { return }
    fillUp()
    for (index, position) in known.positions.enumerated() {
      block.replace(request.positions[position], with: known.block.records[index], of: known.block)
    }
    let answered = Set(known.positions)
    request.keep(request.positions.indices.filter { !answered.contains($0) })
  }

  /// Sets the status and the reason of a request's addresses.
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

  /// Replaces a record by one of another block, with its texts.
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
