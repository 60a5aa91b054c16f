/// Judges the quality of an open path by its last probes: a pure value.
struct QualityWindow: Sendable {
  /// The number of probes judged.
  static let length = 20

  /// The number of failures in a row that mean an outage.
  static let failuresOfOutage = 10

  private struct Probe: Sendable {
    var hasFailed: Bool
    var isLost: Bool
    var connect: Duration?
  }

  private let limits: DegradedLimits
  private var probes: [Probe] = []

  /// Why the path is degraded; `nil` if it is not.
  private(set) var cause: DegradedCause?
  /// Whether ``cause`` is that of an earlier watch, since there are too few probes to judge.
  private(set) var isInherited: Bool

  /// Creates a window without probes; `earlier` is why the path was degraded when it was last
  /// watched, which counts if that is still judged.
  init(_ limits: DegradedLimits, after earlier: DegradedCause? = nil) {
    self.limits = limits
    switch earlier {
    case .lossy: cause = limits.loss == nil ? nil : .lossy
    case .slow: cause = limits.connect == nil ? nil : .slow
    case nil: cause = nil
    }
    isInherited = cause != nil
  }

  /// Whether the last probes have all failed.
  var hasFailed: Bool {
    probes.count >= Self.failuresOfOutage
      && probes.suffix(Self.failuresOfOutage).allSatisfy(\.hasFailed)
  }

  /// The figures of the probes so far; `nil` before the first, and while an earlier watch's judgement
  /// holds, which they are not the reason for.
  var quality: PathQuality? { isInherited ? nil : measured }

  private var measured: PathQuality? {
    guard !probes.isEmpty else { return nil }
    let loss = Double(probes.count(where: \.isLost)) / Double(probes.count)
    return PathQuality(loss: loss, connect: median(probes.compactMap(\.connect)))
  }

  /// Takes a probe's result; one that connects is an occasion to judge the path anew.
  mutating func add(_ measurement: Measurement) {
    guard measurement.finding != .inconclusive else { return }
    let hasFailed = measurement.finding.speaksOfLoss
    let isLost = hasFailed || measurement.isResent
    probes.append(Probe(hasFailed: hasFailed, isLost: isLost, connect: measurement.connect))
    probes = probes.suffix(Self.length)
    if !hasFailed { judge() }
  }

  /// The same without any probe, as after an outage.
  var cleared: Self { Self(limits) }

  /// A cause lasts until both figures are under two thirds of their limits, and is replaced by the
  /// other one only once its own figure is.
  private mutating func judge() {
    guard probes.count == Self.length, let quality = measured else { return }
    isInherited = false
    let loss = Closeness(quality.loss ?? 0, limits.loss, isAtLimitBeyond: true)
    let connect = Closeness(
      (quality.connect ?? .zero) / .milliseconds(1),
      limits.connect.map { $0 / .milliseconds(1) },
      isAtLimitBeyond: false
    )
    switch (loss, connect, cause) {
    case (.beyond, _, _), (.near, _, .lossy): cause = .lossy
    case (_, .beyond, _), (_, .near, .slow): cause = .slow
    case (.good, .good, _): cause = nil
    case (_, _, _): break
    }
  }
}

/// How a figure compares with its limit.
private enum Closeness {
  /// Under two thirds of it, or there is none.
  case good
  case near
  case beyond

  init(_ figure: Double, _ limit: Double?, isAtLimitBeyond: Bool) {
    guard let limit else {
      self = .good
      return
    }
    let isBeyond = isAtLimitBeyond ? figure >= limit : figure > limit
    self = isBeyond ? .beyond : figure * 3 < limit * 2 ? .good : .near
  }
}

private func median(_ times: [Duration]) -> Duration? {
  guard !times.isEmpty else { return nil }
  let sorted = times.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2)
    ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
