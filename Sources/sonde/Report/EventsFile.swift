import Glibc
import Scanner
import System

/// A file of events, one JSON object a line, each written at once.
struct EventsFile {
  private let file: Descriptor
  private let name: String
  private let isStandardOutput: Bool

  /// Why a line could not be written.
  private var writeError: OutputError?

  /// Whether what an existing file holds stays in it.
  private let appends: Bool

  /// Opens a file, and makes it if it is missing; `-` is stdout.
  init(path: String, appends: Bool) throws(OutputError) {
    isStandardOutput = path == "-"
    (name, self.appends) = (isStandardOutput ? "stdout" : path, appends)
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY
    do throws(SystemError) {
      if isStandardOutput {
        file = Descriptor(sharing: STDOUT_FILENO)
      } else {
        file = try Descriptor(opening: path, flags)
      }
    } catch {
      throw OutputError(name: name, code: error.code)
    }
  }

  /// Truncates a regular file that is not appended to.
  func empty() throws(OutputError) {
    guard !appends, !isStandardOutput, FileStatus(descriptor: file.number)?.isRegular == true,
      ftruncate(file.number, 0) != 0
    else { return }
    throw OutputError(name: name, code: errno)
  }

  /// Appends a line; after an error nothing more is written.
  mutating func write(_ line: [UInt8]) {
    var written = 0
    while writeError == nil, written < line.count {
      guard let count = Signals.interruption.run({ writeOnce(line, from: written) }) else {
        return writeError = .abandoned(name)
      }
      if count >= 0 {
        written += count
      } else if errno != EAGAIN {
        writeError = OutputError(name: name, code: errno)
      } else if Signals.interruption.run(waitUntilWritable) == nil {
        writeError = .abandoned(name)
      }
    }
  }

  /// Why a line could not be written; `nil` where nobody needs to know: a reader of stdout who has
  /// gone is satisfied, and one who stalls is not waited for after a signal.
  var error: OutputError? {
    guard let writeError, !writeError.isAbandoned,
      !(isStandardOutput && writeError.isClosedPipe)
    else { return nil }
    return writeError
  }

  private func writeOnce(_ line: [UInt8], from start: Int) -> Int {
    unsafe line.withUnsafeBytes { bytes in
      unsafe Glibc.write(
        file.number,
        bytes.baseAddress.map { unsafe $0 + start },
        bytes.count - start
      )
    }
  }

  /// Waits where stdout was made non-blocking by whoever shares it.
  private func waitUntilWritable() -> Int {
    var polled = pollfd(fd: file.number, events: Int16(POLLOUT), revents: 0)
    return Int(unsafe poll(&polled, 1, -1))
  }
}
