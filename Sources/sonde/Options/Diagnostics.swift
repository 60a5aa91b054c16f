import Glibc
import Records

/// Lines for a person on stderr, each beginning with `sonde: `.
///
/// A line is written whole, in one call, so that lines of several tasks or processes do not mix.
struct Diagnostics: Sendable {
  /// Whether only errors are shown.
  var isQuiet = false

  /// Where the lines go.
  var descriptor: Int32 = 2

  /// Says what went wrong, also when quiet.
  func error(_ message: String) { write("sonde: \(escapedForPerson(message))\n") }

  /// Says what the user should know, unless quiet.
  func note(_ message: String) {
    if !isQuiet { error(message) }
  }

  /// Says how the program was misused and where to read on.
  func usage(_ error: UsageError) {
    let advice = error.isAboutSetup ? "" : "\(error.advice)\n"
    write("sonde: \(escapedForPerson(error.message))\n\(advice)")
  }

  /// Writes a text as it is.
  func raw(_ text: String) { write(text) }

  /// Writes all of the text; there is nobody to tell when stderr fails.
  private func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&ready, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}
