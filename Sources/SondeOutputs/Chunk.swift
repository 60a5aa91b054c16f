package import SondeRecords

/// Output bytes of records whose entries follow one another in the input.
package struct Chunk: Sendable, Equatable {
  /// The number of the first entry.
  package var first: UInt64

  /// How many entries there are.
  package var count = 0

  /// The encoded records for the output, each behind its separator.
  package var output: [UInt8] = []

  /// The encoded records for the file of rejects.
  package var rejects: [UInt8] = []

  /// Lines for the file of missing addresses.
  package var missing: [UInt8] = []

  /// What the records count as.
  package var tally = Tally()

  /// What became of the rows among them that were asked for again.
  package var upgrades = UpgradeTally()

  /// Makes a chunk without records.
  init(first: UInt64) { self.first = first }

  /// The numbers of the entries.
  package var numbers: Range<UInt64> { first..<first + UInt64(count) }

  /// Puts the next chunk behind this one, to be written with it.
  mutating func append(_ chunk: Chunk) {
    count += chunk.count
    output += chunk.output
    rejects += chunk.rejects
    missing += chunk.missing
    tally += chunk.tally
    upgrades += chunk.upgrades
  }
}

/// Chunks in the making: each ends where an entry is left out, or where it is large enough.
package struct ChunkList: Sendable {
  /// The bytes after which a chunk ends; what a full disk refuses is refused chunk by chunk.
  private static let largestOutput = 48 << 10

  private var finished: [Chunk] = []
  private var current = Chunk(first: 0)
  /// How many entries are still to be expected.
  private var expected: Int

  /// - Parameter count: How many entries are to be expected.
  package init(expecting count: Int) { expected = count }

  /// Adds the bytes of an entry's record.
  ///
  /// - Parameters:
  ///   - number: The entry's number, greater than that of all before.
  ///   - encode: Appends the bytes, and counts the record.
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

  /// Makes room for the records to come, which are as long as the first one or a little longer.
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
