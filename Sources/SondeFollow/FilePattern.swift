import SondeSystem

/// Files by a pattern of names.
enum FilePattern {
  /// Whether a name that is no file's is a pattern.
  static func isPattern(_ name: String) -> Bool { name.contains { $0 == "*" || $0 == "?" } }

  /// The names that match a pattern, sorted; `*` and `?` stand for no `/`, and for no `.` at the
  /// beginning of a name.
  static func names(_ pattern: String) -> [String] {
    var found = [pattern.hasPrefix("/") ? "/" : ""]
    let parts = pattern.split(separator: "/").map { String($0) }
    for (number, part) in parts.enumerated() {
      let end = number < parts.count - 1 ? "/" : ""
      guard isPattern(part) else {
        found = found.map { $0 + part + end }
        continue
      }
      found = found.flatMap { folder in
        SondeSystem.names(in: folder.isEmpty ? "." : folder)
          .filter { matches(Array($0.utf8)[...], Array(part.utf8)[...]) }
          .map { folder + $0 + end }
      }
    }
    return found.filter { FileStatus(path: $0) != nil }.sorted()
  }

  /// Whether a pattern matches a name.
  static func matches(_ name: String, _ pattern: String) -> Bool {
    let (names, parts) = (name.split(separator: "/"), pattern.split(separator: "/"))
    return names.count == parts.count && name.hasPrefix("/") == pattern.hasPrefix("/")
      && zip(names, parts).allSatisfy { matches(Array($0.utf8)[...], Array($1.utf8)[...]) }
  }

  private static func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    if name.first == UInt8(ascii: "."), pattern.first != UInt8(ascii: ".") { return false }
    // The position behind the last `*`, and what it has matched so far.
    var (star, taken): (Int?, Int) = (nil, name.startIndex)
    var (place, part) = (name.startIndex, pattern.startIndex)
    while place < name.endIndex {
      if part < pattern.endIndex, pattern[part] == UInt8(ascii: "*") {
        (star, taken) = (part + 1, place)
        part += 1
      } else if part < pattern.endIndex,
        pattern[part] == name[place] || pattern[part] == UInt8(ascii: "?")
      {
        (place, part) = (place + 1, part + 1)
      } else if let behind = star {
        taken += 1
        (part, place) = (behind, taken)
      } else {
        return false
      }
    }
    return pattern[part...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
