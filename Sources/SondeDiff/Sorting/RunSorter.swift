import Glibc
import SondeSystem

/// Sorts any number of packed records in bounded memory: runs of them in temporary files, which are
/// merged.
struct RunSorter {
  private struct Head {
    let key: RecordKey
    let start: Int
  }

  /// The bytes of records sorted in memory.
  private let runSize: Int
  /// The number of runs that become one.
  private let fanIn: Int

  private var buffer: [UInt8] = []
  private var heads: [Head] = []
  /// Runs by the number of merges behind them, each list in the order of the input.
  private var levels: [[RunReader]] = []

  init(runSize: Int = 24 << 20, fanIn: Int = 24) { (self.runSize, self.fanIn) = (runSize, fanIn) }

  /// Adds a record, whose cells `write` appends.
  mutating func add(
    _ key: RecordKey,
    tie: Span<UInt8>,
    _ write: (inout [UInt8]) -> Void
  ) throws(SystemError) {
    let start = buffer.count
    PackedRecord.begin(key, tie: tie, in: &buffer)
    write(&buffer)
    PackedRecord.end(&buffer, from: start)
    heads.append(Head(key: key, start: start))
    if buffer.count >= runSize { try flush() }
  }

  /// All records in order.
  mutating func finish() throws(SystemError) -> RunMerge {
    let last = RunReader(sorted())
    (buffer, heads) = ([], [])
    return try RunMerge(levels.reversed().joined() + [last])
  }

  /// Moves the records in memory to a file.
  private mutating func flush() throws(SystemError) {
    let file = try TemporaryFile.open()
    try file.write(sorted())
    buffer.removeAll(keepingCapacity: true)
    heads.removeAll(keepingCapacity: true)
    var (level, run) = (0, RunReader(file))
    while true {
      if level == levels.count { levels.append([]) }
      levels[level].append(run)
      guard levels[level].count == fanIn else { return }
      run = RunReader(try Self.merged(levels[level]))
      levels[level] = []
      level += 1
    }
  }

  private mutating func sorted() -> [UInt8] {
    let bytes = buffer
    heads.sort { left, right in
      guard left.key == right.key else { return RecordKey.isBefore(left.key, right.key) }
      let ties = [left, right].map {
        PackedRecord.tie(in: bytes, at: $0.start + PackedRecord.lengthSize)
      }
      if PackedRecord.isBefore(bytes, ties[0], bytes, ties[1]) { return true }
      if PackedRecord.isBefore(bytes, ties[1], bytes, ties[0]) { return false }
      return left.start < right.start
    }
    var sorted: [UInt8] = []
    sorted.reserveCapacity(bytes.count)
    for head in heads {
      let length = PackedRecord.length(in: bytes, at: head.start)
      sorted += bytes[head.start..<head.start + PackedRecord.lengthSize + length]
    }
    return sorted
  }

  private static func merged(_ runs: [RunReader]) throws(SystemError) -> Descriptor {
    let file = try TemporaryFile.open()
    let merge = try RunMerge(runs)
    var bytes: [UInt8] = []
    while let reader = merge.current {
      bytes += reader.packed
      if bytes.count >= 1 << 18 {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
      try merge.advance()
    }
    try file.write(bytes)
    return file
  }
}
