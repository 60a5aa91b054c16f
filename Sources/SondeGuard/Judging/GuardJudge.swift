/// What is remembered of a key.
package struct KeyMemory: Sendable, Equatable {
  /// The times of its hits that count.
  var times = HitTimes()
  /// The time of the last hit that raised an alert.
  var lastAlert: Int64?
  /// The last values that it had, the latest last; empty unless new ones are wanted.
  var values: [String] = []
  /// Its last hit; `nil` unless travels are wanted.
  var place: HitPlace?

  /// A key that was never hit.
  package init() {}

  /// The number of values and times.
  var size: Int { 1 + times.times.count + values.count }
}

/// What is remembered of a value that a key had.
package struct ValueMemory: Sendable, Equatable {
  /// The latest time at which it was seen, in milliseconds since 1970 UTC.
  package var seen: Int64
  /// The time of the last hit that raised an alert.
  package var lastAlert: Int64?

  package init(seen: Int64) { self.seen = seen }
}

/// Why an alert is raised.
package struct GuardFinding: Sendable, Equatable {
  /// The number of hits in the window.
  package var count = 0
  /// The time of the first of them.
  package var first: Int64 = 0
  /// The values that the key had before; `nil` unless new ones are wanted.
  package var before: [String]?
  /// The hit before; `nil` unless travels are wanted.
  package var from: HitPlace?
  /// The way from there, in kilometres.
  package var distance = 0.0
  /// The speed, in km/h.
  package var speed = 0.0
}

/// Judges hits in their order: a pure function of what it remembers of their keys.
package struct GuardJudge: Sendable {
  /// The largest number of earlier values in an alert.
  static let mostBefore = 5

  private let rules: GuardRules

  package init(_ rules: GuardRules) { self.rules = rules }

  /// Whether hits are compared by their places.
  var wantsPlaces: Bool { rules.speed != nil }

  /// Takes the next hit of a key, at a time; returns why it raises an alert, if it does.
  ///
  /// `place` is `nil` unless places are compared; `named` is the value of the hit if new values count,
  /// and `value` the memory of that value.
  package func take(
    at time: Int64,
    _ place: HitPlace?,
    named: String?,
    _ key: inout KeyMemory,
    _ value: inout ValueMemory?
  ) -> GuardFinding? {
    var finding = GuardFinding()
    var isCounted = true
    if rules.wantsNewValues {
      guard let named else { return nil }
      isCounted = learn(named, at: time, &key, &value, &finding)
    }
    if let limit = rules.speed, let place {
      let isTravel = travel(to: place, faster: limit, from: key.place, &finding)
      isCounted = isCounted && isTravel
      key.place = place
    }
    guard isCounted else { return nil }
    key.times.add(time, window: rules.within)
    // Where many hits come, most are silent.
    let last = rules.wantsNewValues ? value?.lastAlert : key.lastAlert
    if let last, (time - last).magnitude < rules.every.magnitude { return nil }
    let start = time.subtractingReportingOverflow(rules.within).partialValue
    guard let (count, first) = key.times.hits(after: start, upTo: time), count >= rules.count
    else { return nil }
    if rules.wantsNewValues { value?.lastAlert = time } else { key.lastAlert = time }
    (finding.count, finding.first) = (count, first)
    return finding
  }

  /// Learns a value; returns whether the key is known, but not to have had this one.
  private func learn(
    _ name: String,
    at time: Int64,
    _ key: inout KeyMemory,
    _ value: inout ValueMemory?,
    _ finding: inout GuardFinding
  ) -> Bool {
    let isFirst = key.values.isEmpty
    let isKnown = value.map { $0.seen > time - GuardRules.knownFor } ?? false
    finding.before = Array(key.values.suffix(Self.mostBefore))
    key.values.removeAll { $0 == name }
    key.values.append(name)
    if key.values.count > Self.mostBefore + 1 { key.values.removeFirst() }
    var memory = value ?? ValueMemory(seen: time)
    memory.seen = max(memory.seen, time)
    value = memory
    return !isFirst && !isKnown
  }

  private func travel(
    to hit: HitPlace,
    faster limit: Double,
    from last: HitPlace?,
    _ finding: inout GuardFinding
  ) -> Bool {
    guard let last, last.hasCoordinates, hit.hasCoordinates else { return false }
    let distance = last.distance(to: hit)
    let time = Double((hit.time - last.time).magnitude) / 3_600_000
    guard distance >= GuardRules.shortestWay, distance > limit * time else { return false }
    (finding.from, finding.distance) = (last, distance)
    // Times are often whole seconds: what seems to take none took less than one.
    finding.speed = distance / max(time, 1 / 3600)
    return true
  }
}
