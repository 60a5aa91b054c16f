import SondeSystem

/// Files that are held open, in the order of reading, each once.
struct FollowedFiles: Sendable, RandomAccessCollection, MutableCollection {
  private var all: [FollowedFile] = []
  private var identities: Set<FileIdentity> = []

  var startIndex: Int { 0 }
  var endIndex: Int { all.count }

  /// The file at an index, which stays the same one.
  subscript(index: Int) -> FollowedFile {
    get { all[index] }
    _modify { yield &all[index] }
  }

  /// Whether a file is among them.
  func contains(_ identity: FileIdentity) -> Bool { identities.contains(identity) }

  mutating func append(_ file: FollowedFile) {
    all.append(file)
    identities.insert(file.position.identity)
  }

  /// Moves the files from a place on before the one at an index.
  mutating func move(from place: Int, to index: Int) {
    let last = Array(all[place...])
    all.removeSubrange(place...)
    all.insert(contentsOf: last, at: index)
  }

  /// Removes files; returns their positions.
  mutating func remove(where isMeant: (FollowedFile) -> Bool) -> [FilePosition] {
    var (left, removed): ([FollowedFile], [FilePosition]) = ([], [])
    for file in all {
      if isMeant(file) { removed.append(file.position) } else { left.append(file) }
    }
    if !removed.isEmpty { all = left }
    for position in removed { identities.remove(position.identity) }
    return removed
  }
}
