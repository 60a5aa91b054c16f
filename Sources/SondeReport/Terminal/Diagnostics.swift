import Glibc
package import SondeOptions
package import SondePrivacy
import SondeRecords
import SondeSystem

/// Messages on stderr, each beginning with `sonde: `.
///
/// Each message is written in one call, so that those of several tasks or processes do not mix.
package struct Diagnostics: Sendable {
  let isQuiet: Bool
  let descriptor: Int32
  /// Replaces addresses in all messages; `nil` if they stay.
  let anonymizer: Anonymizer?

  package init(isQuiet: Bool = false, descriptor: Int32 = 2, anonymizer: Anonymizer? = nil) {
    (self.isQuiet, self.descriptor, self.anonymizer) = (isQuiet, descriptor, anonymizer)
  }

  /// The maximum length of a message, which may contain text from the user.
  private static let longest = 512

  /// Reports an error, even when quiet.
  package func error(_ message: String) { write(line(message)) }

  /// Reports wrong usage and where to read more.
  package func usage(_ error: UsageError) {
    let advice = error.isAboutSetup ? [] : error.advice.split(separator: "\n")
    let details = error.details.map { safe($0) + "\n" }.joined()
    write(line(error.message) + details + advice.map { fitted(String($0)) }.joined())
  }

  /// A message with the program name and line end, wrapped at words on a terminal.
  func line(_ message: String) -> String {
    fitted("sonde: \(escapedForPerson(shortened(safe(message))))")
  }

  /// A text without the addresses of the inputs, if they are not to be shown.
  func safe(_ text: String) -> String { anonymizer?.text(text) ?? text }

  private func fitted(_ line: String) -> String {
    wrapped(line, width: terminalWidth(of: descriptor) ?? .max, indent: (0, 2)) + "\n"
  }

  private func shortened(_ message: String) -> String {
    let scalars = message.unicodeScalars
    guard scalars.count > Self.longest else { return message }
    let half = Self.longest / 2
    return String(scalars.prefix(half)) + "…" + String(scalars.suffix(half))
  }

  /// Writes the whole text; errors of stderr cannot be reported.
  ///
  /// - Returns: Whether it was written.
  @discardableResult
  func write(_ text: String) -> Bool {
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
        return false
      }
    }
    return true
  }
}
