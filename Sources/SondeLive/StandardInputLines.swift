import Glibc
import SondeSystem

/// Reads the lines of standard input, on a thread of its own.
package enum StandardInputLines {
  /// The longest line in bytes, of which further ones are left out.
  static let longest = 1 << 20

  /// Reads until the end of the input, or until the task is cancelled.
  package static func read(into log: LiveLog) async {
    guard let wake = try? WakePipe() else { return }
    let reader = Reader(wake)
    await withTaskCancellationHandler {
      while let lines = await reader.next() {
        await log.take(lines)
      }
      if !Task.isCancelled { await log.endInput() }
    } onCancel: {
      wake.ring()
    }
  }

  private actor Reader {
    private let executor = BlockingExecutor(label: "sonde.input")
    private let wake: WakePipe
    private var cutter = LineSplitter(longest: StandardInputLines.longest)

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()
    }

    init(_ wake: WakePipe) { self.wake = wake }

    /// The next lines, of which there may be none yet; `nil` at the end.
    func next() -> [ArraySlice<UInt8>]? {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while wake.wait(for: .reading, of: STDIN_FILENO) == .ready {
        let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        return count > 0 ? cutter.cut(buffer[..<count]) : cutter.takeRest().map { [$0] }
      }
      return nil
    }
  }
}
