package import SondeReachability

/// How probes connected to an endpoint within one minute.
package struct LatencyMinute: Sendable, Equatable {
  /// The length of a minute in milliseconds.
  static let length: Int64 = 60_000

  /// The beginning of the minute, in milliseconds since 1970 UTC.
  package var start: Int64

  /// The median time to connect of the probes that did, in microseconds; `nil` if none did.
  package var connect: Int64?

  /// The number of probes that failed.
  package var failed: Int64

  /// Creates a minute.
  package init(start: Int64, connect: Int64?, failed: Int64) {
    (self.start, self.connect, self.failed) = (start, connect, failed)
  }
}

/// The probes of the current minute: a pure value that is passed the time.
package struct LatencyTally: Sendable {
  private var start: Int64?
  private var times: [Int64] = []
  private var failed: Int64 = 0

  package init() {}

  /// The minute so far; `nil` before the first probe.
  package var minute: LatencyMinute? {
    guard let start else { return nil }
    let sorted = times.sorted()
    let middle = sorted.count / 2
    let median: Int64? =
      if sorted.isEmpty { nil } else if sorted.count.isMultiple(of: 2) {
        (sorted[middle - 1] + sorted[middle]) / 2
      } else {
        sorted[middle]
      }
    return LatencyMinute(start: start, connect: median, failed: failed)
  }

  /// Counts a probe that ended at a moment, in milliseconds since 1970 UTC.
  ///
  /// - Returns: The minute before, if this probe begins the next one.
  package mutating func add(_ measurement: Measurement, at moment: Int64) -> LatencyMinute? {
    let hasFailed = measurement.finding.speaksOfLoss
    guard hasFailed || measurement.connect != nil else { return nil }
    let start = moment - moment % LatencyMinute.length
    let ended = self.start == start ? nil : minute
    if self.start != start {
      self = LatencyTally()
      self.start = start
    }
    if hasFailed {
      failed += 1
    } else if let connect = measurement.connect {
      times.append(Int64(connect / .microseconds(1)))
    }
    return ended
  }
}
