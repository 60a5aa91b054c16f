/// Limits the rate of requests within any period of a certain length.
///
/// A request counts until one period after its end, since the moment at which it was received is
/// unknown.
public struct Pace: Sendable {
  /// The decision about the next request.
  public enum Decision: Equatable, Sendable {
    /// Send it, and settle it afterwards.
    case send
    /// Wait until a moment.
    case wait(until: Duration)
    /// Wait until a running request has ended.
    case waitForAnswer
  }

  private let allowance: Allowance
  private var underWay = 0
  /// The ends of requests in order; those before ``first`` no longer count.
  private var ends: [Duration] = []
  private var first = 0

  /// Creates a pace without requests.
  public init(_ allowance: Allowance) { self.allowance = allowance }

  var remembered: Int { ends.count }

  /// Reserves one request, or returns what to wait for.
  public mutating func reserve(now: Duration) -> Decision {
    forget(before: now)
    guard underWay + ends.count - first >= allowance.requests else {
      underWay += 1
      return .send
    }
    guard first < ends.count else { return .waitForAnswer }
    return .wait(until: ends[first] + allowance.period)
  }

  /// Records the end of a request; `wasSent` means that any part may have reached the provider.
  public mutating func settle(wasSent: Bool, now: Duration) {
    underWay -= 1
    guard wasSent else { return }
    forget(before: now)
    ends.append(now)
  }

  private mutating func forget(before now: Duration) {
    // A clock that was set back must not lengthen the wait.
    if let last = ends.last, last > now {
      for index in ends.indices { ends[index] = min(ends[index], now) }
    }
    while first < ends.count, ends[first] + allowance.period <= now { first += 1 }
    guard first > ends.count / 2 else { return }
    ends.removeFirst(first)
    first = 0
  }
}
