/// Positions by what was read before them, so that one of many is found by a file's content.
struct ReadContents: Sendable {
  private var positions: [[UInt8]: [FilePosition]] = [:]
  private var lengths: Set<Int> = []

  init(_ positions: some Sequence<FilePosition>) {
    for position in positions { add(position) }
  }

  /// Adds a position, unless nothing was read before it.
  mutating func add(_ position: FilePosition) {
    guard position.offset > 0 else { return }
    positions[position.head, default: []].append(position)
    lengths.insert(position.head.count)
  }

  mutating func remove(_ position: FilePosition) {
    positions[position.head]?.removeAll { $0.number == position.number }
  }

  /// Whether all of a small file is the beginning of what was read under a name.
  func isBeginning(_ file: OpenedFile, of path: String) -> Bool {
    let bytes = file.bytes(at: 0, FilePosition.markLength + 1)
    return bytes.count <= FilePosition.markLength
      && positions.contains { head, all in
        head.starts(with: bytes) && all.contains { $0.path == path }
      }
  }

  /// The position that lies furthest behind in a file; `nil` if nothing was read of its content.
  func last(in file: OpenedFile) -> FilePosition? {
    let head = FilePosition.head(of: file)
    return lengths.filter { $0 <= head.count }
      .flatMap { positions[Array(head.prefix($0))] ?? [] }
      .sorted { $0.offset > $1.offset }
      .first { $0.matches(file) }
  }
}
