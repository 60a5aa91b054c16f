/// Consecutive intervals of one family's numbers, each with its answer.
///
/// Ranges are flattened into intervals, in which each number belongs to the smallest range that
/// contains it, so that a look-up is a single search.
struct IntervalIndex<Number: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  /// The value for no answer.
  static var nothing: UInt32 { .max }

  /// The start of each interval, in ascending order from 0.
  private var starts: [Number] = []
  private var answers: [UInt32] = []
  /// For each value of the first bits, the interval that contains its first number; plus one more.
  private var index: [UInt32] = []
  /// The shift that extracts the first bits of a number.
  private var shift = Number(Number.bitWidth)

  /// The ranges that have an answer, in order; two of them may touch.
  var answered: [ClosedRange<Number>] {
    starts.indices.filter { answers[$0] != Self.nothing }.map { place in
      starts[place]...(place + 1 < starts.count ? starts[place + 1] - 1 : .max)
    }
  }

  /// A range of the numbers, and its answer.
  struct Block {
    let first: Number
    let last: Number
    let answer: UInt32

    /// Whether its answer takes precedence over that of another range: the smaller one's does, of
    /// two equally large ones that of the later.
    func comes(before other: Block) -> Bool {
      let (size, otherSize) = (last - first, other.last - other.first)
      return size == otherSize ? first > other.first : size < otherSize
    }
  }

  /// The ranges that may contain the next number, the one whose answer counts last.
  ///
  /// All but that one may have ended already.
  private var open: [Block] = []

  /// Creates an index without ranges, to be completed by ``finish()``.
  init() { append(0, Self.nothing) }

  /// Adds a range, in ascending order of first numbers; ranges may be nested or overlap.
  mutating func add(_ block: Block) {
    close(before: block.first)
    var place = open.count
    while place > 0, open[place - 1].comes(before: block) { place -= 1 }
    open.insert(block, at: place)
    if place == open.count - 1 { append(block.first, block.answer) }
  }

  /// Prepares for look-ups, after all ranges were added.
  mutating func finish() {
    close(before: nil)
    open = []
    makeIndex()
  }

  /// Ends the ranges before a number, or all.
  private mutating func close(before number: Number?) {
    while let block = open.last, number.map({ block.last < $0 }) ?? true {
      while let ended = open.last, ended.last <= block.last { open.removeLast() }
      if block.last < Number.max { append(block.last + 1, open.last?.answer ?? Self.nothing) }
    }
  }

  /// Starts an interval, replacing one with the same start.
  private mutating func append(_ start: Number, _ answer: UInt32) {
    if starts.last == start {
      starts.removeLast()
      answers.removeLast()
    }
    guard answers.last != answer else { return }
    starts.append(start)
    answers.append(answer)
  }

  /// Indexes about as many values of the first bits as there are intervals, at most a million, so
  /// that few intervals remain to be searched.
  private mutating func makeIndex() {
    let bits = min(max(Int.bitWidth - starts.count.leadingZeroBitCount, 8), 20)
    shift = Number(Number.bitWidth - bits)
    index = []
    index.reserveCapacity(1 << bits + 1)
    var interval = 0
    for high in 0..<1 << bits {
      let first = Number(high) << shift
      while interval + 1 < starts.count, starts[interval + 1] <= first { interval += 1 }
      index.append(UInt32(interval))
    }
    index.append(UInt32(starts.count - 1))
  }

  /// The answer for a number, or ``nothing``.
  @inline(__always)
  func answer(for number: Number) -> UInt32 {
    answer(ofInterval: interval(of: number, in: wholePlace(of: number)))
  }

  /// The answer of an interval, or ``nothing``.
  @inline(__always)
  func answer(ofInterval interval: UInt32) -> UInt32 { answers[Int(interval)] }

  func hasAnswer(from first: Number, through last: Number) -> Bool {
    let interval = Int(interval(of: first, in: wholePlace(of: first)))
    if answers[interval] != Self.nothing { return true }
    // Adjacent intervals have different answers, so the next one has one.
    return interval + 1 < starts.count && starts[interval + 1] <= last
  }

  /// The candidate intervals of a number.
  struct Place {
    var first: UInt32 = 0
    var last: UInt32 = 0
    /// The start of the middle candidate.
    var middle: Number = 0
  }

  /// The candidate intervals of a number by its first bits, without accessing them.
  @inline(__always)
  func place(of number: Number) -> Place {
    let high = Int(truncatingIfNeeded: number &>> shift)
    return Place(first: index[high], last: index[high + 1])
  }

  /// Reads the start of the middle candidate; the others are close in memory.
  @inline(__always)
  func look(into place: inout Place) {
    place.middle = starts[Int(place.first &+ (place.last &- place.first &+ 1) / 2)]
  }

  @inline(__always)
  private func wholePlace(of number: Number) -> Place {
    var place = place(of: number)
    look(into: &place)
    return place
  }

  /// The last candidate that starts at or before the number; the middle must have been read.
  ///
  /// Comparisons are not branches, since they are unpredictable, and a misprediction would cost
  /// more than everything else.
  @inline(__always)
  func interval(of number: Number, in place: Place) -> UInt32 {
    var low = Int(place.first)
    var count = Int(place.last &- place.first) &+ 1
    if count > 1 {
      low &+= place.middle <= number ? count / 2 : 0
      count &-= count / 2
    }
    while count > 1 {
      let half = count / 2
      low &+= starts[low &+ half] <= number ? half : 0
      count &-= half
    }
    return UInt32(truncatingIfNeeded: low)
  }
}
