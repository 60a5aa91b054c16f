import TestSupport
import Testing

@testable import SondeProviders

/// What a ledger holds is believed for as long as the provider's own window can last; then one request
/// alone asks.
@Suite struct BelievedWaitTests {
  /// 2023-11-14T22:13:20Z.
  private let wall = Duration.seconds(1_700_000_000)
  private let ipAPI = Quota(
    allowance: Allowance(requests: 15, per: .seconds(60)),
    believing: .atMost(.seconds(300))
  )

  private func reading(_ now: Duration, wall: Duration? = nil, boot: UInt64 = 1) -> ClockReading {
    ClockReading(steady: now, boot: boot, wall: wall ?? self.wall + now)
  }

  private func refusal(for wait: Duration, isOfPeriod: Bool = false) -> Quota.Outcome {
    var notice = QuotaNotice()
    (notice.isThrottled, notice.retryAfter) = (true, wait)
    notice.isSpentForPeriod = isOfPeriod
    return .answered(notice)
  }

  private func told(_ remaining: Int, _ rest: Duration) -> Quota.Outcome {
    var notice = QuotaNotice()
    (notice.remaining, notice.resetsIn, notice.isAnswer) = (remaining, rest, true)
    return .answered(notice)
  }

  private var answer: Quota.Outcome {
    var notice = QuotaNotice()
    notice.isAnswer = true
    return .answered(notice)
  }

  /// What a ledger holds after an outcome that a version without bounds took for true.
  private func poisoned(_ outcome: Quota.Outcome, _ allowance: Allowance?) -> [UInt8] {
    let credulous = Quota(allowance: allowance, believing: .untilNext(.month))
    var shared = SharedQuota(bytes: [], start: credulous, name: "x", at: reading(.zero))
    let tickets = shared.reserve(1, for: 7, now: .zero).tickets
    for ticket in tickets { shared.settle(ticket, of: 7, outcome, now: .zero) }
    return shared.bytes
  }

  private func shared(_ bytes: [UInt8], _ start: Quota, at reading: ClockReading) -> SharedQuota {
    SharedQuota(bytes: bytes, start: start, name: "x", at: reading)
  }

  private var lies: [Quota.Outcome] {
    [refusal(for: .seconds(31 * 86_400)), told(0, .seconds(31 * 86_400))]
  }

  @Test func `a wait of a month that a ledger holds lasts five minutes from when it was written`() {
    for lie in lies {
      let bytes = poisoned(lie, ipAPI.allowance)
      for (now, wait) in [(0, 300), (299, 300), (300, nil), (86_400, nil)] as [(Int, Int?)] {
        var quota = shared(bytes, ipAPI, at: reading(.seconds(now)))
        let (tickets, denial) = quota.reserve(5, for: 8, now: .seconds(now))
        if let wait {
          #expect(denial == .wait(until: .seconds(wait)) && tickets.isEmpty, "\(now)")
        } else {
          #expect(denial == .waitForAnswer(until: nil) && tickets.count == 1, "\(now)")
        }
      }
    }
  }

  @Test func `each of many who look again and again finds the wait shorter`() {
    var bytes = poisoned(lies[0], ipAPI.allowance)
    for now in stride(from: 0, to: 300, by: 7) {
      var quota = shared(bytes, ipAPI, at: reading(.seconds(now)))
      #expect(quota.reserve(1, for: 8, now: .seconds(now)).denial == .wait(until: .seconds(300)))
      if quota.isChanged { bytes = quota.bytes }
    }
  }

  @Test func `the probe that is refused again is followed by another one, after as long`() {
    var bytes = poisoned(lies[0], ipAPI.allowance)
    for round in 1...5 {
      let now = Duration.seconds(300 * round)
      var quota = shared(bytes, ipAPI, at: reading(now))
      let tickets = quota.reserve(8, for: 8, now: now).tickets
      #expect(tickets.count == 1)
      for ticket in tickets { quota.settle(ticket, of: 8, refusal(for: .seconds(300)), now: now) }
      bytes = quota.bytes
    }
  }

  @Test func `where no limit is known one request alone asks after a wait, whoever sends it`()
    throws
  {
    let start = Quota(allowance: nil, believing: .untilNext(.month))
    var bytes = poisoned(refusal(for: .seconds(60), isOfPeriod: true), nil)
    var quota = shared(bytes, start, at: reading(.seconds(59)))
    #expect(quota.reserve(1, for: 8, now: .seconds(59)).denial == .spent(until: .seconds(60)))
    for outcome in [Quota.Outcome.lost, .notSent, .answered(QuotaNotice()), answer] {
      quota = shared(bytes, start, at: reading(.seconds(60)))
      #expect(quota.quota.uncountedTicket(now: .seconds(60)) == nil)
      let ticket = try #require(quota.reserve(4, for: 8, now: .seconds(60)).tickets.first)
      #expect(quota.reserve(1, for: 8, now: .seconds(60)).denial == .waitForAnswer(until: nil))
      var other = shared(quota.bytes, start, at: reading(.seconds(61)))
      #expect(other.reserve(1, for: 9, now: .seconds(61)).denial == .waitForAnswer(until: nil))
      quota.settle(ticket, of: 8, outcome, now: .seconds(62))
      bytes = quota.bytes
    }
    quota = shared(bytes, start, at: reading(.seconds(63)))
    #expect(quota.quota.uncountedTicket(now: .seconds(63)) != nil)
    #expect(quota.reserve(100, for: 8, now: .seconds(63)).tickets.count == 100)
  }

  @Test func `those under way before a refusal say nothing of the wait`() {
    var quota = Quota(allowance: nil)
    let tickets = (0..<3).compactMap { _ -> Quota.Ticket? in
      if case .send(let ticket) = quota.reserve(now: .zero) { ticket } else { nil }
    }
    quota.settle(tickets[0], refusal(for: .seconds(5)), now: .seconds(1))
    quota.settle(tickets[1], answer, now: .seconds(2))
    #expect(quota.reserve(now: .seconds(2)) == .wait(until: .seconds(6)))
    guard case .send = quota.reserve(now: .seconds(6)) else {
      Issue.record("the wait is over")
      return
    }
    quota.settle(tickets[2], answer, now: .seconds(7))
    #expect(quota.reserve(now: .seconds(7)) == .waitForAnswer(until: nil))
  }

  @Test func `a day is waited for until an hour after it, a month until an hour after that`() {
    // 1 h 46 min 40 s before midnight, and 16 days more before the month ends.
    let table: [(CalendarWindow, Duration)] = [
      (.day, .seconds(6400 + 3600)), (.month, .seconds(1_388_800 + 3600)),
    ]
    for (window, end) in table {
      let start = Quota(allowance: nil, believing: .untilNext(window))
      let bytes = poisoned(refusal(for: .seconds(31 * 86_400), isOfPeriod: true), nil)
      var quota = shared(bytes, start, at: reading(.seconds(10)))
      #expect(quota.reserve(1, for: 8, now: .seconds(10)).denial == .spent(until: end))
      quota = shared(bytes, start, at: reading(end))
      #expect(quota.reserve(2, for: 8, now: end).tickets.count == 1)
    }
  }

  @Test func `a window of a day's own count ends with the day`() {
    let start = Quota(
      allowance: Allowance(requests: 2, per: .seconds(86_400)),
      believing: .untilNext(.day)
    )
    var quota = shared([], start, at: reading(.zero))
    for _ in 0..<2 {
      for ticket in quota.reserve(1, for: 8, now: .zero).tickets {
        quota.settle(ticket, of: 8, answer, now: .zero)
      }
    }
    var later = shared(quota.bytes, start, at: reading(.seconds(9_999)))
    #expect(later.reserve(1, for: 8, now: .seconds(9_999)).denial == .wait(until: .seconds(10_000)))
    later = shared(quota.bytes, start, at: reading(.seconds(10_000)))
    #expect(later.reserve(2, for: 8, now: .seconds(10_000)).tickets.count == 1)
  }

  // MARK: Clocks

  @Test func `a clock that jumps ends every wait within the provider's own`() {
    let month = Quota(allowance: nil, believing: .untilNext(.month))
    let year = Duration.seconds(365 * 86_400)
    for start in [ipAPI, month] {
      let bytes = poisoned(refusal(for: .seconds(31 * 86_400)), start.allowance)
      for jump in [year, .zero - year, .zero - year * 20, .seconds(-100), .seconds(100)] {
        for boot in [1, 2] as [UInt64] {
          var (now, bytes) = (Duration.seconds(5), bytes)
          let first = now
          let longest = start.believableWait.longest(at: wall + jump + now)
          var isOut = false
          while !isOut, now - first <= .seconds(32 * 86_400) {
            let at = reading(now, wall: wall + jump + now, boot: boot)
            var quota = shared(bytes, start, at: at)
            isOut = !quota.reserve(1, for: 8, now: now).tickets.isEmpty
            if quota.isChanged { bytes = quota.bytes }
            now += .seconds(start.allowance == nil ? 3600 : 30)
          }
          #expect(isOut && now - first <= longest + .seconds(7200), "\(jump) \(boot): \(now)")
        }
      }
    }
  }

  @Test
  func `a start of the machine with a clock that is behind ends no wait, and delays none for ever`()
  {
    var bytes = poisoned(lies[0], ipAPI.allowance)
    var waits: [Duration] = []
    for now in stride(from: 0, through: 330, by: 30) {
      let at = reading(.seconds(now), wall: .seconds(now), boot: 2)
      var quota = shared(bytes, ipAPI, at: at)
      if case .wait(let until) = quota.reserve(1, for: 8, now: .seconds(now)).denial {
        waits.append(until)
      }
      if quota.isChanged { bytes = quota.bytes }
    }
    #expect(Set(waits) == [.seconds(300)] && waits.count == 10)
  }

  // MARK: Earlier versions

  @Test func `bytes of the version before are read, and say no name`() throws {
    let bytes = poisoned(lies[0], ipAPI.allowance)
    #expect(SharedQuota.name(in: bytes) == "x")
    // The version, and behind it a word for the length of the name and one for the name.
    let former = [2, 0, 0, 0, 0, 0, 0, 0] + bytes[24...]
    #expect(SharedQuota.name(in: former) == nil)
    var quota = shared(former, ipAPI, at: reading(.seconds(1)))
    #expect(quota.reserve(1, for: 8, now: .seconds(1)).denial == .wait(until: .seconds(300)))
    #expect(SharedQuota.name(in: quota.bytes) == "x")
    #expect(SharedQuota.name(in: []) == nil)
  }

  @Test func `a name of any length and kind comes back, cut at a character`() {
    for name in ["", "a", "ip-api batch", "1234567", "12345678", "123456789", "é€😀", "\u{0}\u{7f}"]
    {
      #expect(SharedQuota.name(in: shared([], name).bytes) == name)
    }
    let long = String(repeating: "€", count: 200)
    #expect(SharedQuota.name(in: shared([], long).bytes) == String(repeating: "€", count: 85))
  }

  private func shared(_ bytes: [UInt8], _ name: String) -> SharedQuota {
    SharedQuota(bytes: bytes, start: ipAPI, name: name, at: reading(.zero))
  }
}
