import Glibc

extension Environment {
  /// The variables of this process; the first value of a duplicate name counts.
  package static func read() -> [String: String] {
    var variables: [String: String] = [:]
    var index = 0
    while let entry = unsafe environ[index] {
      index += 1
      let text = unsafe String(cString: entry)
      guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(text[..<equals])
      guard variables[name] == nil else { continue }
      variables[name] = String(text[text.utf8.index(after: equals)...])
    }
    return variables
  }
}
