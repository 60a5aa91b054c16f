/// The speed of a scan over time: a pure value of limited size.
public struct Throughput: Sendable, Equatable {
  /// The average rate during the seconds before a moment.
  public struct Sample: Sendable, Equatable {
    /// The moment, in seconds since 1970 UTC.
    public var at: Int64

    /// Records per second.
    public var rate: Double
  }

  private struct Step: Sendable, Equatable {
    var at: Int64
    var records: UInt64
  }

  /// The maximum number of steps; beyond it, pairs of steps are merged.
  private static let mostSteps = 600

  /// The maximum number of missed steps to fill in; a longer gap, such as sleep, counts as idle.
  private static let mostLate: Int64 = 10

  /// The period, in seconds, over which the current rate is averaged.
  private static let memory: Int64 = 10

  /// The length of a step in seconds; a step's moment is its end.
  private var interval: Int64 = 1
  private var steps: [Step] = []

  /// The start of the current step; `nil` while nothing runs.
  private var base: (at: Int64, records: Int)?
  private var recent: [(at: Int64, records: Int)] = []

  /// Creates the history of a scan that has not begun.
  public init() {}

  /// Begins a run without records.
  mutating func begin(at now: Int64) {
    // The run may begin in the second in which the one before it ended.
    let last = steps.last.map(\.at) ?? now
    base = (last > now && last - now <= interval ? last : now, 0)
    recent = [(now, 0)]
  }

  /// Adds a measurement: the records of this run until `now`, in seconds since 1970 UTC.
  mutating func note(_ records: Int, at now: Int64) {
    guard let base else { return }
    if recent.last.map({ $0.at < now }) ?? true { recent.append((now, records)) }
    recent.removeAll { $0.at < now - Self.memory }
    let late = (now - base.at) / interval
    guard late > 0 else { return }
    defer { makeRoom() }
    guard late <= Self.mostLate else { return append(records - base.records, endingAt: now) }
    let share = (records - base.records) / Int(late)
    for step in 1...late {
      let isLast = step == late
      append(
        isLast ? records - (self.base?.records ?? 0) : share,
        endingAt: base.at + step * interval
      )
    }
  }

  /// Ends a run with its number of records; the time until the next one is not counted.
  mutating func end(_ records: Int) {
    if let base, records > base.records {
      append(records - base.records, endingAt: base.at + interval)
    }
    (base, recent) = (nil, [])
    makeRoom()
  }

  private mutating func append(_ records: Int, endingAt end: Int64) {
    steps.append(Step(at: end, records: UInt64(clamping: records)))
    base = (end, (base?.records ?? 0) + records)
  }

  private mutating func makeRoom() { while steps.count > Self.mostSteps { halve() } }

  /// Merges pairs of steps; the last one of a current run becomes part of its next step.
  private mutating func halve() {
    interval *= 2
    var halved: [Step] = []
    var index = 0
    while index < steps.count {
      let step = steps[index]
      index += 1
      guard index < steps.count else {
        if let base, base.at == step.at {
          self.base = (base.at - interval / 2, base.records - Int(clamping: step.records))
        } else {
          halved.append(step)
        }
        break
      }
      let next = steps[index]
      let isNext = next.at - step.at < interval
      halved.append(isNext ? Step(at: next.at, records: step.records + next.records) : step)
      if isNext { index += 1 }
    }
    steps = halved
  }

  /// Current records per second; `nil` if unknown.
  public var rate: Double? {
    guard let first = recent.first, let last = recent.last, last.at > first.at else { return nil }
    return Double(last.records - first.records) / Double(last.at - first.at)
  }

  /// The records of the current run that are part of a step.
  var counted: Int { base?.records ?? 0 }

  /// The rates over time, the oldest first; 0 from the start to the end of a gap.
  public var samples: [Sample] {
    var samples: [Sample] = []
    for step in steps {
      if let last = samples.last, step.at - last.at > interval {
        samples.append(Sample(at: last.at + interval, rate: 0))
        if step.at - last.at > 2 * interval {
          samples.append(Sample(at: step.at - interval, rate: 0))
        }
      }
      samples.append(Sample(at: step.at, rate: Double(step.records) / Double(interval)))
    }
    return samples
  }

  /// Compares the histories.
  public static func == (left: Throughput, right: Throughput) -> Bool {
    left.interval == right.interval && left.steps == right.steps
  }
}

// MARK: - Storage

extension Throughput {
  var numbers: [UInt64] {
    [UInt64(interval)] + steps.flatMap { [UInt64(clamping: $0.at), $0.records] }
  }

  /// Restores the history; empty if the numbers are invalid.
  init(numbers: [UInt64]) {
    guard let first = numbers.first, first > 0, first < 1 << 32 else { return }
    interval = Int64(first)
    steps = stride(from: 1, to: numbers.count - 1, by: 2).map {
      Step(at: Int64(min(numbers[$0], 1 << 40)), records: min(numbers[$0 + 1], 1 << 48))
    }
  }
}
