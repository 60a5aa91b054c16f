/// Keeps requests to a rate: at most so many in any stretch of time as long as a window.
///
/// A request counts until a window's length after its end: it arrived some time before that, nobody
/// knows when.
public struct Pace: Sendable {
  /// What to do about the next request.
  public enum Decision: Equatable, Sendable {
    /// Send it, and settle it afterwards.
    case send
    /// Nothing may be sent before this moment.
    case wait(until: Duration)
    /// Nothing may be sent before one of those under way has ended.
    case waitForAnswer
  }

  private let allowance: Allowance
  private var underWay = 0
  /// When requests ended, in order; those before ``first`` do not count any more.
  private var ends: [Duration] = []
  private var first = 0

  /// Begins without any request.
  public init(_ allowance: Allowance) { self.allowance = allowance }

  /// How many requests it remembers.
  var remembered: Int { ends.count }

  /// Takes leave to send one request, or says what to wait for.
  public mutating func reserve(now: Duration) -> Decision {
    forget(before: now)
    guard underWay + ends.count - first >= allowance.requests else {
      underWay += 1
      return .send
    }
    guard first < ends.count else { return .waitForAnswer }
    return .wait(until: ends[first] + allowance.period)
  }

  /// Notes that a request has ended.
  ///
  /// - Parameters:
  ///   - wasSent: Whether anything of it may have reached the provider.
  ///   - now: This moment.
  public mutating func settle(wasSent: Bool, now: Duration) {
    underWay -= 1
    guard wasSent else { return }
    forget(before: now)
    ends.append(now)
  }

  private mutating func forget(before now: Duration) {
    // A clock that was set back makes nobody wait longer.
    if let last = ends.last, last > now {
      for index in ends.indices { ends[index] = min(ends[index], now) }
    }
    while first < ends.count, ends[first] + allowance.period <= now { first += 1 }
    guard first > ends.count / 2 else { return }
    ends.removeFirst(first)
    first = 0
  }
}
