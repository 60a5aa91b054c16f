import Glibc

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
    write("sonde: \(escapedForPerson(error.message))\n\(error.advice)\n")
  }

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

/// The text with control characters escaped: C0, DEL, C1, line separators, bidirectional controls.
private func escapedForPerson(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x09: escaped += "\\t"
    case 0x0a: escaped += "\\n"
    case 0x0d: escaped += "\\r"
    case 0..<0x20, 0x7f..<0xa0: escaped += "\\x" + hexadecimal(scalar.value, digits: 2)
    case 0x061c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069:
      escaped += "\\u" + hexadecimal(scalar.value, digits: 4)
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}

private func hexadecimal(_ number: UInt32, digits: Int) -> String {
  let text = String(number, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
