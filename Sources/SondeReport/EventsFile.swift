import Glibc
package import SondeOutputs
package import SondePrivacy
import SondeSystem

/// An events file with one JSON object per line, each written immediately.
package struct EventsFile {
  private let file: Descriptor
  /// `nil` for stdout.
  private let owned: OutputFile?
  private let name: String
  private var isStandardOutput: Bool { owned == nil }
  private var isRegular: Bool { owned?.isRegular ?? false }
  private var writeError: OutputError?

  /// Whether the existing content of the file is kept.
  private let appends: Bool
  private let anonymizer: Anonymizer?

  /// Opens a file and creates it if it is missing; `-` is stdout.
  ///
  /// `anonymizer` replaces the addresses in all lines; `nil` if they stay.
  package init(path: String, appends: Bool, anonymizer: Anonymizer? = nil) throws(OutputError) {
    (self.appends, self.anonymizer) = (appends, anonymizer)
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

  /// Appends a line; does nothing after an error.
  package mutating func write(_ line: [UInt8]) {
    guard writeError == nil else { return }
    let line = anonymizer?.text(line.span) ?? line
    switch file.write(line, endedBy: isRegular ? nil : Signals.interruption).obstacle {
    case nil: return
    case .interrupted: writeError = .abandoned(name)
    case .failed(let error): writeError = OutputError(name: name, code: error.code)
    }
  }

  /// Why a line could not be written; `nil` if that is harmless.
  ///
  /// A reader of stdout that has gone needs no events; a stalled one is not awaited after a signal.
  package var error: OutputError? {
    guard let writeError, !writeError.isAbandoned,
      !(isStandardOutput && writeError.isClosedPipe)
    else { return nil }
    return writeError
  }

  /// The same at the end of a run, when the events must be in the requested file.
  package var finalError: OutputError? {
    guard writeError == nil, let owned, !owned.isInPlace else { return error }
    return .displaced(name)
  }
}
