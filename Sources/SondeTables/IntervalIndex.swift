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
  /// For each value of the first bits, the interval that its first number lies in; and one more.
  private var index: [UInt32] = []
  /// How far the first bits of a number lie above its lowest one.
  private var shift = Number(Number.bitWidth)

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

  /// Indexes about as many values of the first bits as there are intervals, at most a million: in
  /// each there are few to be searched.
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

  /// The answer for the numbers of an interval, or ``nothing``.
  @inline(__always)
  func answer(ofInterval interval: UInt32) -> UInt32 { answers[Int(interval)] }

  /// Whether a number of a range has an answer.
  func hasAnswer(from first: Number, through last: Number) -> Bool {
    let interval = Int(interval(of: first, in: wholePlace(of: first)))
    if answers[interval] != Self.nothing { return true }
    // The next one has another answer than this one, which has none.
    return interval + 1 < starts.count && starts[interval + 1] <= last
  }

  /// The intervals that a number may lie in.
  struct Place {
    var first: UInt32 = 0
    var last: UInt32 = 0
    /// Where the one in the middle of them begins.
    var middle: Number = 0
  }

  /// The intervals that a number may lie in, by its first bits; not looked at yet.
  @inline(__always)
  func place(of number: Number) -> Place {
    let high = Int(truncatingIfNeeded: number &>> shift)
    return Place(first: index[high], last: index[high + 1])
  }

  /// Looks where the interval in the middle of a place begins: the others begin near by.
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

  /// The last interval of a place that has been looked into that begins at or before the number.
  ///
  /// Without a branch on what is compared: that is as good as random, and a wrong guess would cost
  /// more than all the rest.
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
