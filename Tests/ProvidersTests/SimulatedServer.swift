import SondeProviders

/// A provider with fixed windows, its headers those of ip-api, which other clients may use too.
struct SimulatedServer {
  /// When windows begin.
  enum Start {
    /// With the first request after the end of the one before, as ip-api keeps them.
    case firstRequest
    /// At multiples of their length, so many milliseconds late.
    case clock(lateBy: Int)
  }

  let limit: Int
  let length: Duration
  var start = Start.firstRequest
  var tellsQuota = true

  private(set) var taken = 0
  private(set) var throttled = 0
  private var end: Duration?

  init(limit: Int, length: Duration, start: Start = .firstRequest, tellsQuota: Bool = true) {
    self.limit = limit
    self.length = length
    self.start = start
    self.tellsQuota = tellsQuota
  }

  /// Takes a request of the client under test and says what its answer's headers say.
  mutating func take(at now: Duration) -> QuotaNotice {
    let end = count(at: now)
    var notice = QuotaNotice()
    notice.isThrottled = taken > limit
    notice.isAnswer = !notice.isThrottled
    if notice.isThrottled { throttled += 1 }
    guard tellsQuota else { return notice }
    notice.remaining = max(0, limit - taken)
    notice.resetsIn = .seconds(((end - now) / .seconds(1)).rounded(.up))
    return notice
  }

  /// Counts a request, another client's for instance; returns the end of its window.
  @discardableResult
  mutating func count(at now: Duration) -> Duration {
    if let end, now < end {
      taken += 1
      return end
    }
    let next = firstEnd(after: now)
    (end, taken) = (next, 1)
    return next
  }

  private func firstEnd(after now: Duration) -> Duration {
    switch start {
    case .firstRequest: return now + length
    case .clock(let late):
      let passed = (now - .milliseconds(late)) / length
      return length * Int(passed.rounded(.down) + 1) + .milliseconds(late)
    }
  }
}
