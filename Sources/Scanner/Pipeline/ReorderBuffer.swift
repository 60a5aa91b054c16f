/// Gives chunks back in the order of the input, whatever the order in which they come.
struct ReorderBuffer: Sendable {
  private var chunks: [UInt64: Chunk] = [:]

  /// The entry whose chunk is due.
  private(set) var next: UInt64 = 0

  /// Makes a buffer that waits for an entry.
  init(next: UInt64 = 0) { self.next = next }

  /// Whether nothing is held back.
  var isEmpty: Bool { chunks.isEmpty }

  /// Takes a chunk in.
  mutating func insert(_ chunk: Chunk) { chunks[chunk.first] = chunk }

  /// The next chunk, if it is there.
  mutating func popNext() -> Chunk? {
    guard let chunk = chunks.removeValue(forKey: next) else { return nil }
    next += UInt64(chunk.count)
    return chunk
  }

  /// Everything that is there, for an end before its time: in order, with gaps.
  mutating func popAll() -> [Chunk] {
    let rest = chunks.values.sorted { $0.first < $1.first }
    chunks.removeAll()
    return rest
  }
}
