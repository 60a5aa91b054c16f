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
