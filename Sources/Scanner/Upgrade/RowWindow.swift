import Synchronization

/// The rows whose entries are under way: put in where they are read, taken away when they are written.
final class RowWindow: Sendable {
  /// Bytes of rows that may be under way.
  private static let room = 32 << 20

  private struct State {
    /// Each with the number of its first row, in ascending order.
    var blocks: [(first: UInt64, rows: RowBlock)] = []
    /// What has become of rows that are not written yet.
    var outcomes: [UInt64: UpgradeTally] = [:]
    var next: UInt64 = 0
    var bytes = 0
    var tally = UpgradeTally()
  }

  private let state = Mutex(State())

  /// Whether no more rows are to be read.
  var isFull: Bool { state.withLock { $0.bytes >= Self.room } }

  /// What became of the rows that are written.
  var tally: UpgradeTally { state.withLock { $0.tally } }

  /// Puts in the rows behind those of before.
  func append(_ rows: RowBlock) {
    state.withLock { state in
      state.blocks.append((state.next, rows))
      state.next += UInt64(rows.places.count)
      state.bytes += rows.bytes.count
    }
  }

  /// The row of an entry that is under way.
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

  /// Notes what has become of a row, to be counted when it is written.
  func note(_ outcome: UpgradeTally, of number: UInt64) {
    state.withLock { $0.outcomes[number] = outcome }
  }

  /// Takes away the rows before an entry, for they are written.
  func release(before number: UInt64) {
    state.withLock { state in
      for (written, outcome) in state.outcomes where written < number { state.tally += outcome }
      state.outcomes = state.outcomes.filter { $0.key >= number }
      while let (first, rows) = state.blocks.first, first + UInt64(rows.places.count) <= number {
        state.bytes -= rows.bytes.count
        state.blocks.removeFirst()
      }
    }
  }
}
