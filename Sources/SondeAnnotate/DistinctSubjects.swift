/// The distinct addresses in a part of a block, such as a line.
struct DistinctSubjects {
  /// For each subject the number of the part where it occurred last.
  private var marks: [UInt32] = []
  private var part: UInt32 = 0
  /// The addresses with zones in the current part, by their first subjects.
  private var zoned: [UInt32] = []

  /// Starts the next part.
  mutating func begin() {
    part += 1
    zoned.removeAll(keepingCapacity: true)
  }

  /// Adds a subject; returns whether its address is new in this part.
  mutating func insert(_ number: UInt32, of block: LineBlock) -> Bool {
    guard block.subjects.all[Int(number)].text.isEmpty else { return insertZoned(number, block) }
    let missing = Int(number) + 1 - marks.count
    if missing > 0 { marks.append(contentsOf: repeatElement(0, count: missing)) }
    defer { marks[Int(number)] = part }
    return marks[Int(number)] != part
  }

  /// Each occurrence of an address with a zone is a subject of its own; there are few.
  private mutating func insertZoned(_ number: UInt32, _ block: LineBlock) -> Bool {
    let (subjects, words) = (block.subjects.all, block.words)
    let subject = subjects[Int(number)]
    let isKnown = zoned.contains { other in
      let other = subjects[Int(other)]
      return other.address == subject.address
        && words[other.text.range] == words[subject.text.range]
    }
    if !isKnown { zoned.append(number) }
    return !isKnown
  }
}
