/// The word quoted for a shell where needed (POSIX.1-2017 XCU §2.2.3).
package func shellQuoted(_ word: String) -> String {
  let isPlain = word.utf8.allSatisfy { byte in
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      || "./_-+,:@%".utf8.contains(byte)
  }
  guard !isPlain else { return word }
  let escaped = word.map { "\\\"$`".contains($0) ? "\\\($0)" : "\($0)" }
  return "\"\(escaped.joined())\""
}
