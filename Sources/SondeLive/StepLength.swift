/// A length of the steps in which hits are counted over time: the older, the coarser.
package enum StepLength: Int64, CaseIterable, Sendable {
  case second = 1
  case tenSeconds = 10
  case fiveMinutes = 300

  /// The time that is shown in such steps, in seconds.
  package var span: Int64 {
    switch self {
    case .second: 300
    case .tenSeconds: 3600
    case .fiveMinutes: 86_400
    }
  }

  /// The start of the step of a second since 1970 UTC.
  package func start(of second: Int64) -> Int64 {
    let rest = second % rawValue
    return second - (rest < 0 ? rest + rawValue : rest)
  }

  /// The seconds that are shown at a moment, the current step included.
  package func range(at now: Int64) -> Range<Int64> {
    let last = start(of: now)
    return last - span + rawValue..<last + rawValue
  }
}

/// A step of a length.
struct LogStep: Hashable, Sendable {
  let length: StepLength
  /// Its first second since 1970 UTC.
  let start: Int64
}

/// Up to when hits are counted in coarser steps, in seconds since 1970 UTC: a pure value.
///
/// A hit is first counted in steps of one second. Once ten of them are over, they become one step of
/// ten seconds, and thirty of these one of five minutes; the finer ones stay as long as they are
/// shown. A hit of an earlier time is counted in all steps that its time has already.
package struct StepBounds: Sendable, Equatable {
  /// Steps of ten seconds have all hits before this.
  package var tenSeconds: Int64

  /// Steps of five minutes have all hits before this.
  package var fiveMinutes: Int64

  /// Steps that become a coarser one.
  struct Folding: Equatable {
    let from: StepLength
    let to: StepLength
    let range: Range<Int64>
  }

  /// Creates bounds at a moment before which nothing was counted.
  package init(at now: Int64) {
    tenSeconds = StepLength.tenSeconds.start(of: now)
    fiveMinutes = StepLength.fiveMinutes.start(of: now)
  }

  package init(tenSeconds: Int64, fiveMinutes: Int64) {
    (self.tenSeconds, self.fiveMinutes) = (tenSeconds, fiveMinutes)
  }

  /// The steps in which a hit of a second is counted; none if that is not shown any more.
  func steps(of second: Int64, at now: Int64) -> [LogStep] {
    guard second >= tenSeconds else {
      let ten = StepLength.tenSeconds.start(of: second)
      let lengths: [StepLength] =
        ten < fiveMinutes ? [.second, .tenSeconds, .fiveMinutes] : [.second, .tenSeconds]
      return lengths.compactMap { length in
        let start = length.start(of: second)
        return start >= length.range(at: now).lowerBound
          ? LogStep(length: length, start: start) : nil
      }
    }
    return [LogStep(length: .second, start: second)]
  }

  /// Moves on to a moment; returns the steps that are to be folded, the finer ones first.
  mutating func advance(to now: Int64) -> [Folding] {
    var foldings: [Folding] = []
    let ten = StepLength.tenSeconds.start(of: now)
    if ten > tenSeconds {
      foldings.append(Folding(from: .second, to: .tenSeconds, range: tenSeconds..<ten))
      tenSeconds = ten
    }
    let five = StepLength.fiveMinutes.start(of: now)
    if five > fiveMinutes {
      foldings.append(Folding(from: .tenSeconds, to: .fiveMinutes, range: fiveMinutes..<five))
      fiveMinutes = five
    }
    return foldings
  }

  /// The steps that together have each hit once that is shown in steps of a length.
  package func parts(
    of length: StepLength,
    at now: Int64
  ) -> [(length: StepLength, range: Range<Int64>)] {
    let range = length.range(at: now)
    var bounds = [range.lowerBound]
    if length == .fiveMinutes { bounds.append(fiveMinutes) }
    if length != .second { bounds.append(tenSeconds) }
    bounds.append(range.upperBound)
    for index in bounds.indices.dropFirst() {
      bounds[index] = min(range.upperBound, max(bounds[index], bounds[index - 1]))
    }
    let lengths = StepLength.allCases.filter { $0.rawValue <= length.rawValue }.reversed()
    return zip(lengths, bounds.indices.dropLast()).map { ($0, bounds[$1]..<bounds[$1 + 1]) }
  }
}
