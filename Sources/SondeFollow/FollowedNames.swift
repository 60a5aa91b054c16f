import SondeSystem

/// The names of files that are followed, and patterns of such names.
struct FollowedNames: Sendable {
  /// In the order in which they were given.
  let explicit: [String]
  let patterns: [String]
  private let set: Set<String>

  /// Tells names and patterns apart: a name that is a file's is none.
  init(_ names: [String]) {
    let patterns = names.filter { FilePattern.isPattern($0) && FileStatus(path: $0) == nil }
    (explicit, self.patterns) = (names.filter { !patterns.contains($0) }, patterns)
    set = Set(explicit)
  }

  /// The files that only patterns name, each once.
  var matches: [String] {
    var seen = set
    return patterns.flatMap { FilePattern.names($0) }.filter { seen.insert($0).inserted }
  }

  /// Whether a file is followed by its own name.
  func isExplicit(_ path: String) -> Bool { set.contains(path) }

  /// Whether a file is followed by its own name or a pattern.
  func contains(_ path: String) -> Bool {
    set.contains(path) || patterns.contains { FilePattern.matches(path, $0) }
  }
}
