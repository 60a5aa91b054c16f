/// Numbers of one family in intervals that follow one another, each with what is the answer for it.
///
/// The intervals are what is left of nested networks when each number belongs to the longest prefix
/// alone, so that a look-up is one search and no walk.
struct IntervalIndex<Number: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  /// The answer where there is none.
  static var nothing: UInt32 { .max }

  /// Where each interval begins, in ascending order; the first at 0.
  private var starts: [Number] = []
  /// What each interval's answer is.
  private var answers: [UInt32] = []
  /// For each value of the first 16 bits, the interval that its first number lies in; and one more.
  private var index: [UInt32] = []

  /// A network of the numbers, and its answer.
  struct Block {
    let first: Number
    let last: Number
    let answer: UInt32
  }

  /// The networks that hold the last one that was added, and that one itself.
  private var open: [Block] = []

  /// Makes an index without networks, which wants ``finish()``.
  init() { append(0, Self.nothing) }

  /// Adds a network.
  ///
  /// - Parameter block: Its first number is not below that of the one before, or the same and the
  ///   network smaller. Two networks do not overlap, but one may lie in the other.
  mutating func add(_ block: Block) {
    close(before: block.first)
    append(block.first, block.answer)
    open.append(block)
  }

  /// Makes it ready for look-ups; no more networks come.
  mutating func finish() {
    close(before: nil)
    open = []
    makeIndex()
  }

  /// Ends the networks that lie before a number; all where there is none.
  private mutating func close(before number: Number?) {
    while let block = open.last, number.map({ block.last < $0 }) ?? true {
      open.removeLast()
      if block.last < Number.max { append(block.last + 1, open.last?.answer ?? Self.nothing) }
    }
  }

  /// Begins an interval, in place of one that begins at the same number.
  private mutating func append(_ start: Number, _ answer: UInt32) {
    if starts.last == start {
      starts.removeLast()
      answers.removeLast()
    }
    guard answers.last != answer else { return }
    starts.append(start)
    answers.append(answer)
  }

  private static var shift: Number { Number(Number.bitWidth - 16) }

  private mutating func makeIndex() {
    index = []
    index.reserveCapacity(65_537)
    var interval = 0
    for high in 0..<65_536 {
      let first = Number(high) << Self.shift
      while interval + 1 < starts.count, starts[interval + 1] <= first { interval += 1 }
      index.append(UInt32(interval))
    }
    index.append(UInt32(starts.count - 1))
  }

  /// The answer for a number, or ``nothing``.
  @inline(__always)
  func answer(for number: Number) -> UInt32 { answers[interval(of: number)] }

  /// Whether a number of a range has an answer.
  func hasAnswer(from first: Number, through last: Number) -> Bool {
    let interval = interval(of: first)
    if answers[interval] != Self.nothing { return true }
    // The next one has another answer than this one, which has none.
    return interval + 1 < starts.count && starts[interval + 1] <= last
  }

  @inline(__always)
  private func interval(of number: Number) -> Int {
    let high = Int(truncatingIfNeeded: number >> Self.shift)
    // The last interval that begins at or before the number.
    var (low, end) = (Int(index[high]), Int(index[high + 1]) + 1)
    while end - low > 1 {
      let middle = low + (end - low) / 2
      if starts[middle] <= number { low = middle } else { end = middle }
    }
    return low
  }
}
