import Glibc

/// Refuses arguments and variables that are not UTF-8.
///
/// They are text in this program. If a file name of other bytes were made valid, it would name another
/// file, so it is refused before anything is touched.
package enum NotText {
  /// The variables, besides the settings, that say where files lie.
  private static let folders: Set<String> = [
    "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
  ]

  /// Makes sure of this process's arguments, and of the variables that are used.
  ///
  /// - Throws: ``UsageError`` that says which of them is no text; a variable's value, which may be a
  ///   secret, is not shown.
  package static func check() throws(UsageError) {
    let arguments = unsafe strings(CommandLine.unsafeArgv).dropFirst()
    for (index, argument) in arguments.enumerated() where !isText(argument) {
      throw refusal("argument \(index + 1), \(quoted(escaped(argument))),")
    }
    for entry in unsafe strings(environ) {
      let halves = entry.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard halves.count == 2, !isText(halves[1]) else { continue }
      let name = String(decoding: halves[0], as: UTF8.self)
      if isUsed(name) { throw refusal(name) }
    }
  }

  /// The bytes for a person: what is not visible ASCII as `\xe9`.
  static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      guard byte <= 0x20 || byte >= 0x7f else { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }

  private static func isUsed(_ name: String) -> Bool {
    folders.contains(name)
      || (name.hasPrefix("SONDE_") && !Environment.givenToCommands.contains(name))
  }

  private static func isText(_ bytes: some Sequence<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  private static func refusal(_ what: String) -> UsageError {
    var error = UsageError("\(what) is not UTF-8 text")
    error.isAboutSetup = true
    return error
  }

  /// The strings of a list that ends with a null pointer, as `main` gets them.
  private static func strings(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> [[UInt8]] {
    var strings: [[UInt8]] = []
    while let string = unsafe list[strings.count] {
      let bytes = unsafe UnsafeRawBufferPointer(start: string, count: strlen(string))
      strings.append(unsafe Array(bytes))
    }
    return strings
  }
}
