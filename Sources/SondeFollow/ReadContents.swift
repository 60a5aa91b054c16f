import SondeSystem

/// Positions by what was read before them, so that one of many is found by a file's content.
struct ReadContents: Sendable {
  /// Of a file without a position of its own, so many are compared with it.
  private static let mostCompared = 1000
  /// Files up to this length, in bytes, are read once for all comparisons.
  private static let small = 64 << 10

  /// By the first bytes, in the order of the offsets.
  private var positions: [[UInt8]: [FilePosition]] = [:]
  private var lengths: Set<Int> = []

  init(_ positions: some Sequence<FilePosition>) {
    for position in positions where position.offset > 0 {
      self.positions[position.head, default: []].append(position)
      lengths.insert(position.head.count)
    }
    for head in self.positions.keys { self.positions[head]?.sort { $0.offset < $1.offset } }
  }

  /// Adds a position, unless nothing was read before it.
  mutating func add(_ position: FilePosition) {
    guard position.offset > 0 else { return }
    let place = count(in: positions[position.head] ?? [], upTo: position.offset)
    positions[position.head, default: []].insert(position, at: place)
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
    guard let size = file.status?.size else { return nil }
    let head = FilePosition.head(of: file)
    let content = size <= Self.small ? file.bytes(at: 0, size) : nil
    var last: FilePosition?
    for length in lengths where length <= head.count {
      let all = positions[Array(head.prefix(length))] ?? []
      let found = all[..<count(in: all, upTo: size)].suffix(Self.mostCompared).last { position in
        content.map { position.ends(in: $0) } ?? position.matches(file)
      }
      if let found, found.offset > last?.offset ?? 0 { last = found }
    }
    return last
  }

  /// The number of positions whose offsets are at most one.
  private func count(in positions: [FilePosition], upTo offset: Int) -> Int {
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      if positions[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
