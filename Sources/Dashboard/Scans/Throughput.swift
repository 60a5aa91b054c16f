/// How fast a scan was over time: a pure value, as long as it need be and no longer.
public struct Throughput: Sendable, Equatable {
  /// So many records came in the seconds before a moment.
  public struct Sample: Sendable, Equatable {
    /// The moment, in seconds since 1970 UTC.
    public var at: Int64

    /// Records a second.
    public var rate: Double
  }

  private struct Step: Sendable, Equatable {
    var at: Int64
    var records: UInt64
  }

  /// The most steps; where there would be more, two become one.
  private static let mostSteps = 600

  /// The time by which the present rate is reckoned, in seconds.
  private static let memory: Int64 = 60

  private var interval: Int64 = 1
  private var steps: [Step] = []

  /// What the step under way begins with; `nil` while nothing runs.
  private var base: (at: Int64, records: Int)?

  /// The last minute, second by second.
  private var recent: [(at: Int64, records: Int)] = []

  /// Makes one of a scan that has not begun.
  public init() {}

  /// Begins a run, or ends one, so that the time between two counts for nothing.
  mutating func interrupt() { (base, recent) = (nil, []) }

  /// Notes how many records there are.
  ///
  /// - Parameters:
  ///   - records: Those of all runs.
  ///   - now: In seconds since 1970 UTC.
  mutating func note(_ records: Int, at now: Int64) {
    if recent.last.map({ $0.at < now }) ?? true { recent.append((now, records)) }
    recent.removeAll { $0.at < now - Self.memory }
    guard let base else {
      self.base = (now, records)
      return
    }
    guard now - base.at >= interval else { return }
    let time = UInt64(now - base.at)
    // A step that took longer counts as several, so that all have one length.
    let share = UInt64(clamping: records - base.records) * UInt64(interval) / time
    steps.append(Step(at: now, records: share))
    self.base = (now, records)
    if steps.count > Self.mostSteps { halve() }
  }

  private mutating func halve() {
    interval *= 2
    steps = stride(from: 0, to: steps.count, by: 2).map { index in
      guard index + 1 < steps.count else {
        return Step(at: steps[index].at, records: 2 * steps[index].records)
      }
      let (first, second) = (steps[index], steps[index + 1])
      return Step(at: second.at, records: first.records + second.records)
    }
  }

  /// Records a second over the last minute; `nil` where that cannot be told.
  public var rate: Double? {
    guard let first = recent.first, let last = recent.last, last.at > first.at else { return nil }
    return Double(last.records - first.records) / Double(last.at - first.at)
  }

  /// The rates over time, the oldest first.
  public var samples: [Sample] {
    steps.map { Sample(at: $0.at, rate: Double($0.records) / Double(interval)) }
  }

  /// Tells whether two have the same past.
  public static func == (left: Throughput, right: Throughput) -> Bool {
    left.interval == right.interval && left.steps == right.steps
  }
}

// MARK: - On the disk

extension Throughput {
  /// The past as numbers in a fixed order.
  var numbers: [UInt64] {
    [UInt64(interval)] + steps.flatMap { [UInt64(clamping: $0.at), $0.records] }
  }

  /// Takes the past back; where the numbers make no sense there is none.
  init(numbers: [UInt64]) {
    guard let first = numbers.first, first > 0, first < 1 << 32 else { return }
    interval = Int64(first)
    steps = stride(from: 1, to: numbers.count - 1, by: 2).map {
      Step(at: Int64(clamping: numbers[$0]), records: min(numbers[$0 + 1], 1 << 48))
    }
  }
}
