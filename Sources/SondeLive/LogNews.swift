/// One of the latest lines of a log.
struct LatestLine: Sendable, Equatable {
  /// The longest text in bytes, with all that is inserted.
  static let longest = 1024

  /// Where something is said of an address.
  struct Mark: Sendable, Equatable {
    let offset: Int
    let number: UInt32
  }

  /// Its first bytes.
  let bytes: [UInt8]
  let marks: [Mark]

  init(_ line: ArraySlice<UInt8>, _ marks: [Mark]) {
    bytes = Array(line.prefix(Self.longest))
    let count = bytes.count
    self.marks = marks.filter { $0.offset <= count }
  }

  /// The line with what is said of its addresses.
  func text(_ words: (UInt32) -> [UInt8]) -> [UInt8] {
    var (text, position): ([UInt8], Int) = ([], 0)
    for mark in marks where text.count < Self.longest {
      text += bytes[position..<mark.offset]
      text += words(mark.number)
      position = mark.offset
    }
    return text + bytes[position...]
  }
}

/// What happened in a log since its last event.
struct LogNews: Sendable {
  /// The most lines of one event.
  static let mostLines = 20

  /// The number of hits.
  private(set) var hits = 0
  /// The hits of addresses by their numbers.
  private(set) var counts: [UInt32: Int] = [:]
  /// The newest lines, the newest last.
  private(set) var lines: [LatestLine] = []
  /// How many of the newest lines were not told yet.
  private(set) var untold = 0

  init() {}

  /// Nothing, after some lines.
  init(latest lines: [LatestLine]) { self.lines = lines }

  var isEmpty: Bool { hits == 0 && untold == 0 }

  /// The lines that were not told yet.
  var newLines: ArraySlice<LatestLine> { lines.suffix(untold) }

  mutating func count(_ number: UInt32) {
    hits += 1
    counts[number, default: 0] += 1
  }

  mutating func add(_ line: LatestLine) {
    if lines.count == Self.mostLines { lines.removeFirst() }
    lines.append(line)
    untold = min(untold + 1, Self.mostLines)
  }
}
