import Addresses
import Providers
import Records
import Store

/// Some of the addresses of a question, by their positions in it.
struct Part: Sendable {
  var positions: [Int]
  var failures = 0
  /// Failures after which the part is given up or split.
  var limit: Int
  /// Whether the endpoint for batches could not be found for it.
  var missedBatches = false
  /// Whether it is to be asked over a new connection.
  var needsFreshConnection = false

  /// Both halves, with so many tries each.
  func halves(limit: Int) -> [Part] {
    let middle = positions.count / 2
    return [positions[..<middle], positions[middle...]].map {
      Part(positions: Array($0), limit: limit)
    }
  }
}

/// Puts together one block of records from the answers to several requests.
struct AnswerAssembly: Sendable {
  /// A record for each address, in the order asked.
  private(set) var block = RecordBlock()

  private let addresses: [Address]

  init(_ addresses: [Address]) { self.addresses = addresses }

  /// The addresses of a part.
  func addresses(of part: Part) -> [Address] {
    part.positions.count == addresses.count ? addresses : part.positions.map { addresses[$0] }
  }

  /// Takes over the answers to a part; what is missing in them is left as it is.
  mutating func put(_ answers: Answers, for part: Part) {
    if part.positions.count == addresses.count {
      // The usual case costs no copy.
      block = answers.block
      return
    }
    fillUp()
    var missing = answers.missing[...]
    for (index, position) in part.positions.enumerated() {
      if missing.first == index {
        missing.removeFirst()
      } else {
        block.replace(position, with: answers.block.records[index], of: answers.block)
      }
    }
  }

  /// Takes over what was known already of some addresses of a part, and leaves it the others.
  mutating func put(_ known: CachedAnswers, for part: inout Part) {
    guard !known.positions.isEmpty else { return }
    fillUp()
    var rest = part.positions
    for (index, position) in known.positions.enumerated() {
      block.replace(part.positions[position], with: known.block.records[index], of: known.block)
    }
    for position in known.positions.reversed() { rest.remove(at: position) }
    part.positions = rest
  }

  /// Gives the addresses of a part a status and a reason.
  mutating func settle(_ part: Part, as status: Status, _ reason: String) {
    fillUp()
    let message = block.append(text: reason.confined)
    for position in part.positions {
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
  /// Puts a record of another block, with its texts, in the place of one of this block's.
  mutating func replace(_ position: Int, with record: Record, of other: RecordBlock) {
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
