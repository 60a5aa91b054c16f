import Glibc
import SondeAlerts
package import SondeOptions
import SondeOutputs
package import SondePrivacy
import SondeRecords
import Synchronization

/// Messages on stderr with a progress line below them that is redrawn in place.
///
/// Writers of records to the same terminal call it around each write, so that the line makes room.
package final class Console: AlertLog, OutputObserver {
  package enum Progress: Equatable {
    case none
    case live
    /// As a new line each time, if nothing can be redrawn.
    case lines
  }

  let progress: Progress

  private let diagnostics: Diagnostics
  private let line = Mutex(LiveLine())

  /// Creates a console; `anonymizer` replaces addresses in all that it shows.
  package init(isQuiet: Bool, progress: Progress, anonymizer: Anonymizer? = nil) {
    diagnostics = Diagnostics(isQuiet: isQuiet, anonymizer: anonymizer)
    self.progress = progress
  }

  /// Reports an error, even when quiet.
  package func error(_ message: String) { write { $0.put(diagnostics.line(message), on: $1) } }

  /// Shows a note, unless quiet.
  package func note(_ message: String) { if !diagnostics.isQuiet { error(message) } }

  func show(_ shown: ProgressText) {
    let text = shown.mapped { diagnostics.safe($0) }
    switch progress {
    case .none: return
    case .live: write { $0.show(text, on: $1) }
    case .lines: diagnostics.write("sonde: \(text.whole)\n")
    }
  }

  /// The interval between updates of the progress.
  var pace: Duration { progress == .live ? .milliseconds(200) : .seconds(1) }

  func endProgress() { write { $0.end(on: $1) } }

  func outputBegins() { write { $0.outputBegins(on: $1) } }

  func outputEnds(withLine endsLine: Bool) {
    write { $0.outputEnds(withLine: endsLine, on: $1) }
  }

  private func write(_ bytes: (inout LiveLine, LiveLine.Screen) -> String) {
    line.withLock { line in
      let text = bytes(&line, screen)
      if !text.isEmpty { diagnostics.write(text) }
    }
  }

  /// The current terminal: it may have been resized, or the job moved to the background.
  private var screen: LiveLine.Screen {
    guard progress == .live else { return LiveLine.Screen(width: 80) }
    let group = tcgetpgrp(diagnostics.descriptor)
    return LiveLine.Screen(
      width: terminalWidth(of: diagnostics.descriptor) ?? 80,
      // Without job control, no other job can be in the foreground.
      isOurs: group < 0 || group == getpgrp()
    )
  }
}

extension Console.Progress {
  /// How progress is shown: by default on a terminal that can erase text.
  package init(_ choice: When, isQuiet: Bool, isTerminal: Bool, environment: [String: String]) {
    let canErase = isTerminal && environment["TERM"] != "dumb"
    self =
      switch choice {
      case .auto: canErase && !isQuiet ? .live : .none
      case .always: canErase ? .live : .lines
      case .never: .none
      }
  }
}

/// The width of a terminal in columns; `nil` for anything else.
package func terminalWidth(of descriptor: Int32) -> Int? {
  var size = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
  return Int(size.ws_col)
}

package func isSameTerminal(_ first: Int32, _ second: Int32) -> Bool {
  var statuses = (stat(), stat())
  guard isatty(first) == 1, isatty(second) == 1, unsafe fstat(first, &statuses.0) == 0,
    unsafe fstat(second, &statuses.1) == 0
  else { return false }
  // Compared by device, since a terminal may have several names.
  return statuses.0.st_rdev == statuses.1.st_rdev
}
