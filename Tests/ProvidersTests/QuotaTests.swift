import Testing

@testable import SondeProviders

/// A provider with fixed windows that begin with their first request, as ip-api keeps them.
private struct WindowedServer {
  let limit: Int
  let window: Duration
  var start: Duration?
  var taken = 0
  var throttled = 0

  mutating func take(at now: Duration) -> QuotaNotice {
    if let start, now < start + window {
    } else {
      start = now
      taken = 0
    }
    taken += 1
    var notice = QuotaNotice()
    notice.isThrottled = taken > limit
    if notice.isThrottled { throttled += 1 }
    notice.remaining = max(0, limit - taken)
    let rest = (start ?? now) + window - now
    notice.resetsIn = .seconds((rest / .milliseconds(1) / 1000).rounded(.up))
    return notice
  }
}

/// Drives a quota against a server with a fixed latency and so many requests at once.
private struct Drive {
  var quota: Quota
  var server: WindowedServer
  var latency = Duration.milliseconds(5)
  var concurrency = 8
  var now = Duration.zero
  var opened = 0

  /// Sends `count` requests and returns when the last answer was in.
  mutating func run(_ count: Int) -> Duration {
    var underWay: [(arrival: Duration, ticket: Quota.Ticket)] = []
    var sent = 0
    var answered = 0
    while answered < count {
      var wake: Duration?
      while sent < count, underWay.count < concurrency {
        let decision = quota.reserve(now: now)
        if case .send(let ticket) = decision {
          underWay.append((now + latency, ticket))
          sent += 1
          continue
        }
        if case .wait(let until) = decision { wake = until }
        if case .waitForAnswer(let until) = decision { wake = until }
        break
      }
      let next = underWay.indices.min { underWay[$0].arrival < underWay[$1].arrival }
      if let next, underWay[next].arrival <= wake ?? underWay[next].arrival {
        let (arrival, ticket) = underWay.remove(at: next)
        now = arrival
        let notice = server.take(at: arrival - latency / 2)
        quota.settle(ticket, .answered(notice), now: now)
        answered += 1
      } else if let wake {
        now = wake
      }
    }
    return now
  }
}

@Suite struct QuotaTests {
  @Test func `one request opens a window and the rest follow its headers`() {
    var quota = Quota(allowance: Allowance(requests: 15, per: .seconds(60)))
    guard case .send(let opener) = quota.reserve(now: .zero) else {
      Issue.record("the first request must go out")
      return
    }
    #expect(quota.reserve(now: .zero) == .waitForAnswer(until: nil))
    var notice = QuotaNotice()
    notice.remaining = 2
    notice.resetsIn = .seconds(7)
    quota.settle(opener, .answered(notice), now: .seconds(1))
    var tickets: [Quota.Ticket] = []
    while case .send(let ticket) = quota.reserve(now: .seconds(1)) { tickets.append(ticket) }
    #expect(tickets.count == 2)
    #expect(quota.reserve(now: .seconds(1)) == .waitForAnswer(until: .seconds(8)))
    notice.remaining = 0
    for ticket in tickets { quota.settle(ticket, .answered(notice), now: .seconds(1)) }
    #expect(quota.reserve(now: .seconds(1)) == .wait(until: .seconds(8)))
    guard case .send = quota.reserve(now: .seconds(8)) else {
      Issue.record("the next window must open at the end of this one")
      return
    }
    #expect(quota.reserve(now: .seconds(8)) == .waitForAnswer(until: nil))
  }

  @Test func `an error without headers opens no window whose limit nobody knows`() {
    var quota = Quota(allowance: Allowance(requests: 15, per: .seconds(60)), isFirm: false)
    for second in 0..<3 {
      let now = Duration.seconds(second)
      guard case .send(let opener) = quota.reserve(now: now) else {
        Issue.record("an error must not end the asking")
        return
      }
      #expect(quota.reserve(now: now) == .waitForAnswer(until: nil))
      quota.settle(opener, .answered(QuotaNotice()), now: now)
    }
    guard case .send(let opener) = quota.reserve(now: .seconds(3)) else { return }
    var notice = QuotaNotice()
    (notice.remaining, notice.resetsIn, notice.isAnswer) = (9, .seconds(2), true)
    quota.settle(opener, .answered(notice), now: .seconds(3))
    var count = 0
    while case .send = quota.reserve(now: .seconds(3)) { count += 1 }
    // Those that drew an error may have been counted since.
    #expect(count == 9 - 3)
  }

  @Test(arguments: [1, 2, 10, 60])
  func `100 requests at 15 a window draw no 429 and waste under five per cent`(seconds: Int) {
    let window = Duration.seconds(seconds)
    var drive = Drive(
      quota: Quota(allowance: Allowance(requests: 15, per: .seconds(60))),
      server: WindowedServer(limit: 15, window: window)
    )
    let elapsed = drive.run(100)
    #expect(drive.server.throttled == 0)
    #expect(elapsed < window * 6 / 0.95)
  }

  @Test func `every latency and concurrency keeps within the window`() {
    var broken: [String] = []
    for latency in [1, 20, 150, 700, 1900] {
      for concurrency in [1, 2, 8, 40] {
        for limit in [1, 2, 15, 45] {
          var drive = Drive(
            quota: Quota(allowance: Allowance(requests: 15, per: .seconds(60))),
            server: WindowedServer(limit: limit, window: .seconds(2)),
            latency: .milliseconds(latency),
            concurrency: concurrency
          )
          _ = drive.run(120)
          if drive.server.throttled > 0 { broken.append("\(latency) ms, \(concurrency), \(limit)") }
        }
      }
    }
    #expect(broken == [])
  }

  @Test func `a request given up counts as spent until its window is over`() {
    var quota = Quota(allowance: Allowance(requests: 3, per: .seconds(10)))
    var answer = QuotaNotice()
    answer.isAnswer = true
    guard case .send(let first) = quota.reserve(now: .zero) else { return }
    quota.settle(first, .answered(answer), now: .zero)
    guard case .send(let second) = quota.reserve(now: .zero) else { return }
    quota.settle(second, .lost, now: .seconds(1))
    guard case .send(let third) = quota.reserve(now: .seconds(1)) else { return }
    quota.settle(third, .answered(answer), now: .seconds(1))
    #expect(quota.reserve(now: .seconds(1)) == .wait(until: .seconds(10)))
    guard case .send = quota.reserve(now: .seconds(10)) else {
      Issue.record("a later window is not charged for it")
      return
    }
  }

  @Test func `lost openers are sent one at a time and no more than the limit`() {
    var quota = Quota(allowance: Allowance(requests: 2, per: .seconds(10)))
    for second in [0, 1] {
      guard case .send(let ticket) = quota.reserve(now: .seconds(second)) else {
        Issue.record("request \(second) is within the limit")
        return
      }
      #expect(quota.reserve(now: .seconds(second)) == .waitForAnswer(until: nil))
      quota.settle(ticket, .lost, now: .seconds(second))
    }
    // Given up at once, the later one may be on its way for two seconds, and open a window then.
    #expect(quota.reserve(now: .seconds(2)) == .wait(until: .seconds(13)))
    guard case .send = quota.reserve(now: .seconds(13)) else {
      Issue.record("the limit is forgotten with its window")
      return
    }
  }

  @Test func `what never reached the provider costs nothing`() {
    var quota = Quota(allowance: Allowance(requests: 1, per: .seconds(10)))
    for _ in 0..<5 {
      guard case .send(let ticket) = quota.reserve(now: .zero) else {
        Issue.record("nothing was spent")
        return
      }
      quota.settle(ticket, .notSent, now: .zero)
    }
  }

  @Test(
    arguments: [
      (nil, nil, 1), (nil, 0, 1), (nil, 30, 30), (7, 30, 7),
    ] as [(Int?, Int?, Int)]
  )
  func `a 429 stops everything for as long as it says`(retry: Int?, reset: Int?, wait: Int) {
    var quota = Quota(allowance: nil)
    guard case .send(let ticket) = quota.reserve(now: .zero) else { return }
    var notice = QuotaNotice()
    notice.isThrottled = true
    notice.retryAfter = retry.map { .seconds($0) }
    notice.resetsIn = reset.map { .seconds($0) }
    quota.settle(ticket, .answered(notice), now: .zero)
    #expect(quota.reserve(now: .zero) == .wait(until: .seconds(wait)))
    guard case .send = quota.reserve(now: .seconds(wait)) else {
      Issue.record("the pause is over")
      return
    }
  }

  @Test func `a provider without a limit is never waited for`() {
    var quota = Quota(allowance: nil)
    for _ in 0..<1000 {
      guard case .send(let ticket) = quota.reserve(now: .zero) else {
        Issue.record("there is no limit")
        return
      }
      quota.settle(ticket, .answered(QuotaNotice()), now: .zero)
    }
  }
}
