import Glibc

/// Rejects arguments and variables that are not UTF-8.
///
/// This program treats them as text. Repairing a file name of other bytes would name another file,
/// so it is rejected before any file is touched.
package enum NotText {
  /// Variables, other than settings, that locate files.
  private static let folders: Set<String> = [
    "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
  ]

  /// Checks the arguments of this process and the variables that it uses.
  ///
  /// - Throws: ``UsageError`` naming the one that is not text; the value of a variable is not
  ///   shown, as it may be a secret.
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

  /// The bytes for display; bytes other than visible ASCII become `\xe9`.
  static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      guard byte <= 0x20 || byte >= 0x7f else { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }

  private static func isUsed(_ name: String) -> Bool {
    folders.contains(name)
      || (name.hasPrefix("SONDE_") && !Environment.notSettings.contains(name))
  }

  private static func isText(_ bytes: some Sequence<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  private static func refusal(_ what: String) -> UsageError {
    UsageError("\(what) is not UTF-8 text", isAboutSetup: true)
  }

  /// The strings of a null-terminated list, as passed to `main`.
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
