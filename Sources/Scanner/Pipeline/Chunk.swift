import Records

/// Output bytes of records whose entries follow one another in the input.
struct Chunk: Sendable, Equatable {
  /// The number of the first entry.
  var first: UInt64

  /// How many entries there are.
  var count = 0

  /// The encoded records for the output, each behind its separator.
  var output: [UInt8] = []

  /// The encoded records for the file of rejects.
  var rejects: [UInt8] = []

  /// Lines for the file of missing addresses.
  var missing: [UInt8] = []

  /// What the records count as.
  var tally = Tally()

  /// What became of the rows among them that were asked for again.
  var upgrades = UpgradeTally()

  /// Makes a chunk without records.
  init(first: UInt64) { self.first = first }

  /// The numbers of the entries.
  var numbers: Range<UInt64> { first..<first + UInt64(count) }

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
struct ChunkList: Sendable {
  /// The bytes after which a chunk ends; what a full disk refuses is refused chunk by chunk.
  private static let largestOutput = 48 << 10

  private var finished: [Chunk] = []
  private var current = Chunk(first: 0)
  /// How many entries are still to be expected.
  private var expected: Int

  /// - Parameter count: How many entries are to be expected.
  init(expecting count: Int) { expected = count }

  /// Adds the bytes of an entry's record.
  ///
  /// - Parameters:
  ///   - number: The entry's number, greater than that of all before.
  ///   - encode: Appends the bytes, and counts the record.
  mutating func append(_ number: UInt64, _ encode: (inout Chunk) -> Void) {
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
  consuming func chunks() -> [Chunk] {
    finish()
    return finished
  }
}
