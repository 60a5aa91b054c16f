import Glibc
import Records
import Synchronization

/// stderr: lines for a person, and below them a progress line that is redrawn in place.
final class Console: Sendable {
  /// Whether progress is shown at all.
  let showsProgress: Bool

  private let diagnostics: Diagnostics
  private let isTerminal: Bool
  private let isProgressShown = Mutex(false)

  init(isQuiet: Bool, showsProgress: Bool, isTerminal: Bool) {
    diagnostics = Diagnostics(isQuiet: isQuiet)
    self.showsProgress = showsProgress
    self.isTerminal = isTerminal
  }

  /// Says what went wrong, also when quiet.
  func error(_ message: String) { aboveProgress { $0.error(message) } }

  /// Says what the user should know, unless quiet.
  func note(_ message: String) { aboveProgress { $0.note(message) } }

  /// Shows how far a command is: in place on a terminal, else as a line of its own.
  func progress(_ text: String) {
    guard isTerminal else {
      diagnostics.raw("sonde: \(escapedForPerson(text))\n")
      return
    }
    isProgressShown.withLock { shown in
      shown = true
      diagnostics.raw("\r\u{1b}[K" + escapedForPerson(String(text.prefix(columns - 1))))
    }
  }

  /// How often progress is shown; a line of its own comes once a second.
  var pace: Duration { isTerminal ? .milliseconds(200) : .seconds(1) }

  /// Takes the progress line away.
  func clearProgress() { aboveProgress { _ in } }

  private func aboveProgress(_ say: (Diagnostics) -> Void) {
    isProgressShown.withLock { shown in
      if shown { diagnostics.raw("\r\u{1b}[K") }
      shown = false
      say(diagnostics)
    }
  }

  private var columns: Int { terminalWidth(of: STDERR_FILENO) ?? 80 }
}

/// The columns of the terminal behind a descriptor; `nil` where there is none.
func terminalWidth(of descriptor: Int32) -> Int? {
  var size = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
  return Int(size.ws_col)
}
