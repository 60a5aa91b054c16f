package import SondeRecords

/// The encoded output of consecutive entries.
package struct Chunk: Sendable, Equatable {
  /// The number of the first entry.
  package var first: UInt64

  /// The number of entries.
  package var count = 0

  /// The encoded records for the output, each after its separator.
  package var output: [UInt8] = []

  package var rejects: [UInt8] = []

  /// Lines for the file of missing addresses.
  package var missing: [UInt8] = []

  package var tally = Tally()

  /// The results of the rows that were requested again.
  package var upgrades = UpgradeTally()

  /// The records whose form is chosen later, in their order in ``output``.
  private var choices: [Choice] = []

  /// A record in ``output`` in two forms, of which one stays.
  private struct Choice: Equatable {
    let group: Int
    var full: Range<Int>
    var bare: Range<Int>
  }

  init(first: UInt64) { self.first = first }

  /// The numbers of the entries.
  package var numbers: Range<UInt64> { first..<first + UInt64(count) }

  /// Appends a record to ``output`` in a full and a bare form, of which ``choose(full:)`` keeps one.
  package mutating func append(
    of group: Int,
    full: (inout [UInt8]) -> Void,
    bare: (inout [UInt8]) -> Void
  ) {
    let start = output.count
    full(&output)
    let middle = output.count
    bare(&output)
    choices.append(Choice(group: group, full: start..<middle, bare: middle..<output.count))
  }

  /// Keeps the full form of the records of some groups, and the bare one of the others.
  package mutating func choose(full isFull: (Int) -> Bool) {
    guard !choices.isEmpty else { return }
    var (kept, next): ([UInt8], Int) = ([], 0)
    kept.reserveCapacity(output.count)
    for choice in choices {
      kept += output[next..<choice.full.lowerBound]
      kept += output[isFull(choice.group) ? choice.full : choice.bare]
      next = choice.bare.upperBound
    }
    kept += output[next...]
    (output, choices) = (kept, [])
  }

  /// Appends the next chunk, to be written together; it has no records to choose from.
  mutating func append(_ chunk: Chunk) {
    count += chunk.count
    output += chunk.output
    rejects += chunk.rejects
    missing += chunk.missing
    tally += chunk.tally
    upgrades += chunk.upgrades
  }
}

/// Builds chunks, which end before a skipped entry or at a certain size.
package struct ChunkList: Sendable {
  /// The size at which a chunk ends, since a full disk refuses chunk by chunk.
  private static let largestOutput = 48 << 10

  private var finished: [Chunk] = []
  private var current = Chunk(first: 0)
  /// The number of entries still expected.
  private var expected: Int

  package init(expecting count: Int) { expected = count }

  /// Adds the record of an entry, in ascending order of their numbers; `encode` appends its bytes.
  package mutating func append(_ number: UInt64, _ encode: (inout Chunk) -> Void) {
    if number != current.numbers.upperBound || current.output.count >= Self.largestOutput {
      finish()
      current.first = number
    }
    current.count += 1
    encode(&current)
    if current.count == 1 { makeRoom() }
    expected -= 1
  }

  /// Reserves memory for the expected records, estimated by the first one.
  private mutating func makeRoom() {
    let size = current.output.count * 5 / 4 * max(expected, 1)
    current.output.reserveCapacity(min(size, Self.largestOutput * 4 / 3))
  }

  private mutating func finish() {
    guard current.count > 0 else { return }
    finished.append(current)
    current = Chunk(first: 0)
  }

  /// The chunks, in the order of their entries.
  package consuming func chunks() -> [Chunk] {
    finish()
    return finished
  }
}
