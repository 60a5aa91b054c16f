/// A number with its noun: `1 request`, `1200 requests`.
func count(_ number: Int, _ one: String, _ many: String) -> String {
  "\(number) \(number == 1 ? one : many)"
}

/// A word as a shell takes it for itself (POSIX.1-2017 XCU §2.2.3).
func shellQuoted(_ word: String) -> String {
  let isPlain = word.utf8.allSatisfy { byte in
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      || "./_-+,:@%".utf8.contains(byte)
  }
  guard !isPlain else { return word }
  let escaped = word.map { "\\\"$`".contains($0) ? "\\\($0)" : "\($0)" }
  return "\"\(escaped.joined())\""
}

extension Duration {
  /// Whole milliseconds; exact, as a quotient in floating point is not for a date.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  /// The time in the unit that a person would use: `0.3 s`, `4 min 20 s`, `2 h 5 min`.
  var forPerson: String {
    let seconds = Int(self / .seconds(1))
    switch seconds {
    case ..<10:
      let tenths = Int((self / .milliseconds(100)).rounded())
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
    case ..<172_800: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: return "\(seconds / 86_400) days \(seconds % 86_400 / 3600) h"
    }
  }
}
