import Glibc
package import SondeOutputs
import SondeSystem

/// A file of events, one JSON object a line, each written at once.
package struct EventsFile {
  private let file: Descriptor
  /// The file; `nil` where it is stdout.
  private let owned: OutputFile?
  private let name: String
  private var isStandardOutput: Bool { owned == nil }
  private var isRegular: Bool { owned?.isRegular ?? false }

  /// Why a line could not be written.
  private var writeError: OutputError?

  /// Whether what an existing file holds stays in it.
  private let appends: Bool

  /// Opens a file, and makes it if it is missing; `-` is stdout.
  package init(path: String, appends: Bool) throws(OutputError) {
    self.appends = appends
    guard path != "-" else {
      (file, owned, name) = (Descriptor(sharing: STDOUT_FILENO), nil, "stdout")
      return
    }
    do throws(OutputFileError) {
      let owned = try OutputFile(opening: path, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY)
      (file, self.owned, name) = (owned.descriptor, owned, path)
    } catch {
      throw OutputError(name: path, error)
    }
  }

  /// Truncates a regular file that is not appended to.
  package func empty() throws(OutputError) {
    guard !appends, !isStandardOutput, isRegular, ftruncate(file.number, 0) != 0 else { return }
    throw OutputError(name: name, code: errno)
  }

  /// Appends a line; after an error nothing more is written.
  package mutating func write(_ line: [UInt8]) {
    guard writeError == nil else { return }
    switch file.write(line, endedBy: isRegular ? nil : Signals.interruption).obstacle {
    case nil: return
    case .interrupted: writeError = .abandoned(name)
    case .failed(let error): writeError = OutputError(name: name, code: error.code)
    }
  }

  /// Why a line could not be written; `nil` where nobody needs to know: a reader of stdout who has
  /// gone is satisfied, and one who stalls is not waited for after a signal.
  package var error: OutputError? {
    guard let writeError, !writeError.isAbandoned,
      !(isStandardOutput && writeError.isClosedPipe)
    else { return nil }
    return writeError
  }

  /// The same at the end of a run, whose account must be found where it was asked for.
  package var finalError: OutputError? {
    guard writeError == nil, let owned, !owned.isInPlace else { return error }
    return .displaced(name)
  }
}
