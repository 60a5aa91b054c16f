/// The times of a key's hits, in order, of which a window is counted.
package struct HitTimes: Sendable, Equatable {
  /// The number of times beyond which those before the window are forgotten.
  static let most = 4096

  /// The distinct times, ascending.
  private(set) var times: [Int64] = []
  /// For each the number of hits up to it.
  private(set) var counts: [Int64] = []

  init() {}

  /// Adds a hit; afterwards `window` milliseconds before it are kept, and some of the earlier ones.
  mutating func add(_ time: Int64, window: Int64) {
    guard times.last.map({ $0 > time }) ?? false else {
      // Nearly always.
      if times.last == time { counts[counts.count - 1] += 1 } else { append(time) }
      return forgetEarly(time, window)
    }
    var place = times.count
    while place > 0, times[place - 1] > time { place -= 1 }
    if place > 0, times[place - 1] == time {
      place -= 1
    } else {
      times.insert(time, at: place)
      counts.insert(place > 0 ? counts[place - 1] : forgotten, at: place)
    }
    for index in place..<counts.count { counts[index] += 1 }
    forgetEarly(time, window)
  }

  private mutating func append(_ time: Int64) {
    counts.append((counts.last ?? forgotten) + 1)
    times.append(time)
  }

  /// Drops the times before the window once there are many.
  private mutating func forgetEarly(_ time: Int64, _ window: Int64) {
    let start = time.subtractingReportingOverflow(window).partialValue
    // Not at each hit, for the others move up.
    guard times.count - Self.most > Self.most / 4, times[Self.most / 4] <= start else { return }
    let excess = min(firstIndex(after: start), times.count - Self.most)
    forgotten = counts[excess - 1]
    times.removeFirst(excess)
    counts.removeFirst(excess)
  }

  private var forgotten: Int64 = 0

  /// The hits later than one time and up to another, and the time of the first of them.
  func hits(after start: Int64, upTo end: Int64) -> (count: Int, first: Int64)? {
    let (first, behind) = (firstIndex(after: start), firstIndex(after: end))
    guard first < behind else { return nil }
    let before = first > 0 ? counts[first - 1] : forgotten
    return (Int(counts[behind - 1] - before), times[first])
  }

  private func firstIndex(after time: Int64) -> Int {
    guard let last = times.last, last > time else { return times.count }
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Restores times with the number of hits at each.
  init(_ hits: [(time: Int64, count: Int64)]) {
    var sum: Int64 = 0
    for (time, count) in hits {
      sum += count
      times.append(time)
      counts.append(sum)
    }
  }

  /// The times with the number of hits at each.
  var hits: [(time: Int64, count: Int64)] {
    times.indices.map { index in
      (times[index], counts[index] - (index > 0 ? counts[index - 1] : forgotten))
    }
  }

  /// Compares the hits, not those that are forgotten.
  package static func == (left: HitTimes, right: HitTimes) -> Bool {
    left.times == right.times && left.hits.map(\.count) == right.hits.map(\.count)
  }
}
