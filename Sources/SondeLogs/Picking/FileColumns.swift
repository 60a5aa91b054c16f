import Glibc
package import SondeInputs
import Synchronization

/// The columns that the lines of a regular file name, for several threads.
package final class FileColumns: Sendable {
  private static let chunk = 1 << 20

  private struct State {
    /// The columns named so far, each with the offset of its line, in ascending order.
    var found: [(offset: Int, columns: NamedColumns)] = []
    /// The start of the first line that was not searched.
    var searched = 0
  }

  private let file: OpenFile
  private let state = Mutex(State())

  package init(_ file: OpenFile) { self.file = file }

  /// The columns named before an offset, at which a line begins.
  package func before(_ offset: Int) -> NamedColumns {
    state.withLock { state in
      search(&state, to: offset)
      return state.found.last { $0.offset < offset }?.columns ?? NamedColumns()
    }
  }

  private func search(_ state: inout State, to end: Int) {
    var bytes: [UInt8] = []
    while state.searched < end {
      // A line may be longer than what was read so far.
      let wanted = min(max(Self.chunk, 2 * bytes.count), end - state.searched)
      let count = read(wanted, at: state.searched, into: &bytes)
      guard count > 0 else { return }
      let read = bytes
      let text = read.span.extracting(0..<count)
      let last = count == end - state.searched ? count : text.lastIndex(of: 0x0a).map { $0 + 1 }
      guard let last else {
        guard count == wanted else { return }
        continue
      }
      let base = state.searched
      var columns = state.found.last?.columns ?? NamedColumns()
      columns.readAll(text, in: 0..<last) { state.found.append((base + $0, $1)) }
      state.searched += last
      bytes.removeAll(keepingCapacity: true)
    }
  }

  /// Reads up to a number of bytes; returns how many there are.
  private func read(_ wanted: Int, at offset: Int, into bytes: inout [UInt8]) -> Int {
    if bytes.count < wanted { bytes = [UInt8](repeating: 0, count: wanted) }
    var filled = 0
    while filled < wanted {
      let count = unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe pread(
          file.descriptor,
          bytes.baseAddress.map { unsafe $0 + filled },
          wanted - filled,
          offset + filled
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }
}
