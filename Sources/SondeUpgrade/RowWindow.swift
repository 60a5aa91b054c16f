import Synchronization

/// The rows of pending entries: added when they are read, removed when they are written.
final class RowWindow: Sendable {
  /// The largest size of pending rows in bytes.
  private static let room = 32 << 20

  private struct State {
    /// The blocks with the numbers of their first rows, in ascending order.
    var blocks: [(first: UInt64, rows: RowBlock)] = []
    var next: UInt64 = 0
    var bytes = 0
  }

  private let state = Mutex(State())

  /// Whether to pause reading.
  var isFull: Bool { state.withLock { $0.bytes >= Self.room } }

  func append(_ rows: RowBlock) {
    guard !rows.places.isEmpty else { return }
    state.withLock { state in
      state.blocks.append((state.next, rows))
      state.next += UInt64(rows.places.count)
      state.bytes += rows.bytes.count
    }
  }

  /// The row of a pending entry.
  subscript(number: UInt64) -> Row {
    state.withLock { state in
      var (low, high) = (0, state.blocks.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if state.blocks[middle].first <= number { low = middle } else { high = middle }
      }
      let block = state.blocks[low]
      return Row(block: block.rows, place: block.rows.places[Int(number - block.first)])
    }
  }

  /// Removes the rows before an entry, which are written.
  func release(before number: UInt64) {
    state.withLock { state in
      let written = state.blocks.prefix { $0.first + UInt64($0.rows.places.count) <= number }
      state.bytes -= written.reduce(0) { $0 + $1.rows.bytes.count }
      state.blocks.removeFirst(written.count)
    }
  }
}
