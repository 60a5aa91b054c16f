import Testing

@testable import SondeProviders

@Suite struct QuotaEdgeTests {
  private func notice(_ remaining: Int, _ seconds: Int, isThrottled: Bool = false) -> QuotaNotice {
    var notice = QuotaNotice()
    notice.remaining = remaining
    notice.resetsIn = .seconds(seconds)
    notice.isThrottled = isThrottled
    notice.isAnswer = !isThrottled
    return notice
  }

  /// A quota of 15 a minute whose window an answer at the time 0 has opened.
  private func opened(_ remaining: Int, _ seconds: Int) throws -> Quota {
    var quota = Quota(allowance: Allowance(requests: 15, per: .seconds(60)))
    let opener = try quota.ticket(at: .zero)
    quota.settle(opener, .answered(notice(remaining, seconds)), now: .zero)
    return quota
  }

  @Test func `a late answer of a window does not lengthen it`() throws {
    var quota = try opened(14, 10)
    let slow = try quota.ticket(at: .milliseconds(100))
    for left in (1...12).reversed() {
      let ticket = try quota.ticket(at: .milliseconds(100))
      quota.settle(ticket, .answered(notice(left, 10)), now: .milliseconds(200))
    }
    quota.settle(slow, .answered(notice(13, 10)), now: .seconds(5))
    let last = try quota.ticket(at: .seconds(5))
    quota.settle(last, .answered(notice(0, 5)), now: .seconds(5))
    guard case .wait(let until) = quota.reserve(now: .seconds(5)) else {
      Issue.record("the window is spent")
      return
    }
    #expect(until <= .milliseconds(10_200))
  }

  @Test func `an answer of a later window opens it`() throws {
    var quota = try opened(1, 10)
    let ticket = try quota.ticket(at: .milliseconds(9_900))
    quota.settle(ticket, .answered(notice(14, 60)), now: .milliseconds(9_950))
    #expect(quota.remaining == 14)
    #expect(quota.allowance?.requests == 2)
  }

  @Test func `an answer to a request of the window before leaves the limit as it is`() throws {
    var quota = try opened(14, 10)
    let slow = try quota.ticket(at: .seconds(9))
    let opener = try quota.ticket(at: .seconds(11))
    quota.settle(slow, .answered(notice(0, 1)), now: .milliseconds(11_100))
    #expect(quota.allowance?.requests == 15)
    quota.settle(opener, .answered(notice(14, 10)), now: .milliseconds(11_200))
    // It may have been the first of this window.
    #expect(quota.remaining == 13)
  }

  @Test func `an answer that is of an older window for sure costs nothing`() throws {
    var quota = try opened(14, 10)
    let slow = try quota.ticket(at: .seconds(1))
    let opener = try quota.ticket(at: .seconds(11))
    quota.settle(opener, .answered(notice(14, 10)), now: .milliseconds(11_100))
    #expect(quota.remaining == 13)
    quota.settle(slow, .answered(notice(13, 1)), now: .milliseconds(11_200))
    #expect(quota.remaining == 14)
  }

  @Test func `a limit above the published one is used`() throws {
    var quota = try opened(99, 60)
    for _ in 0..<99 { _ = try quota.ticket(at: .zero) }
    #expect(quota.remaining == 0)
  }

  @Test func `a rest of zero seconds with requests left opens another window at once`() throws {
    var quota = try opened(3, 0)
    _ = try quota.ticket(at: .zero)
    _ = try quota.ticket(at: .milliseconds(1))
    #expect(quota.reserve(now: .milliseconds(1)) == .waitForAnswer(until: nil))
  }

  @Test func `a rest of zero seconds with nothing left is waited for a second`() throws {
    var quota = try opened(0, 0)
    #expect(quota.reserve(now: .zero) == .wait(until: .seconds(1)))
    _ = try quota.ticket(at: .seconds(1))
  }

  @Test func `a 429 in mid-window stops it for the time told and one request opens the next`()
    throws
  {
    var quota = try opened(10, 30)
    let tickets = try (0..<4).map { _ in try quota.ticket(at: .seconds(1)) }
    quota.settle(tickets[0], .answered(notice(0, 20, isThrottled: true)), now: .seconds(2))
    for ticket in tickets.dropFirst() {
      #expect(quota.reserve(now: .seconds(2)) == .wait(until: .seconds(22)))
      quota.settle(ticket, .answered(notice(0, 20, isThrottled: true)), now: .seconds(2))
    }
    _ = try quota.ticket(at: .seconds(22))
    #expect(quota.reserve(now: .seconds(22)) == .waitForAnswer(until: nil))
  }

  @Test func `a request lost in mid-window is spent until its end and no longer`() throws {
    var quota = try opened(2, 30)
    let first = try quota.ticket(at: .seconds(1))
    let second = try quota.ticket(at: .seconds(1))
    quota.settle(first, .lost, now: .seconds(2))
    quota.settle(second, .answered(notice(0, 28)), now: .seconds(2))
    #expect(quota.reserve(now: .seconds(3)) == .wait(until: .seconds(30)))
    let opener = try quota.ticket(at: .seconds(30))
    quota.settle(opener, .answered(notice(2, 30)), now: .seconds(30))
    #expect(quota.remaining == 2)
  }

  @Test func `lost openers of windows met late are not forgotten too early`() throws {
    // The window had three seconds and three requests left when it was met.
    var quota = try opened(2, 3)
    for moment in [3, 4, 5] {
      let ticket = try quota.ticket(at: .seconds(moment))
      quota.settle(ticket, .lost, now: .seconds(moment))
    }
    #expect(quota.reserve(now: .seconds(9)) == .wait(until: .seconds(67)))
  }

  @Test func `a fault without a count opens no window`() throws {
    for isFirm in [true, false] {
      var quota = Quota(allowance: Allowance(requests: 3, per: .seconds(60)), isFirm: isFirm)
      for moment in [1, 2, 3] {
        #expect(quota.remaining == nil)
        let ticket = try quota.ticket(at: .seconds(moment))
        #expect(quota.reserve(now: .seconds(moment)) == .waitForAnswer(until: nil))
        quota.settle(ticket, .answered(QuotaNotice()), now: .seconds(moment))
      }
      // The provider may have counted all of them.
      #expect(quota.reserve(now: .seconds(4)) == .wait(until: .seconds(63)))
      let opener = try quota.ticket(at: .seconds(63))
      quota.settle(opener, .answered(notice(2, 60)), now: .seconds(63))
      #expect(quota.remaining == 2)
    }
  }

  @Test func `what a fault without a count may have spent is left out of its window`() throws {
    var quota = Quota(allowance: Allowance(requests: 15, per: .seconds(60)))
    let fault = try quota.ticket(at: .zero)
    quota.settle(fault, .answered(QuotaNotice()), now: .seconds(1))
    let opener = try quota.ticket(at: .seconds(1))
    quota.settle(opener, .answered(notice(4, 60)), now: .seconds(2))
    let other = try quota.ticket(at: .seconds(2))
    quota.settle(other, .answered(QuotaNotice()), now: .seconds(3))
    #expect(quota.remaining == 2)
  }

  @Test func `no count is too high to be counted with`() throws {
    #expect(try opened(.max, 60).remaining ?? 0 > 1_000_000)
    #expect(try opened(.min, 60).remaining == 0)
    var unlimited = Quota(allowance: nil)
    let ticket = try unlimited.ticket(at: .zero)
    unlimited.settle(ticket, .answered(notice(.max, 60)), now: .zero)
    #expect(unlimited.remaining ?? 0 > 1_000_000)
  }

  @Test func `a provider without a published limit is believed when it tells one`() throws {
    var quota = Quota(allowance: nil)
    let tickets = try (0..<3).map { _ in try quota.ticket(at: .zero) }
    quota.settle(tickets[0], .answered(notice(5, 10)), now: .zero)
    #expect(quota.remaining == 3)
    quota.settle(tickets[1], .answered(notice(4, 10)), now: .zero)
    quota.settle(tickets[2], .answered(notice(3, 10)), now: .zero)
    #expect(quota.remaining == 3)
  }

  @Test func `Retry-After with another status stops everything as well`() throws {
    var quota = try opened(10, 30)
    let ticket = try quota.ticket(at: .zero)
    var unavailable = QuotaNotice()
    unavailable.retryAfter = .seconds(5)
    quota.settle(ticket, .answered(unavailable), now: .zero)
    #expect(quota.reserve(now: .seconds(4)) == .wait(until: .seconds(5)))
    _ = try quota.ticket(at: .seconds(5))
  }
}

extension Quota {
  struct NotNow: Error {
    let decision: Decision
  }

  /// The ticket of a request that must be let out.
  fileprivate mutating func ticket(at now: Duration) throws(NotNow) -> Ticket {
    let decision = reserve(now: now)
    guard case .send(let ticket) = decision else { throw NotNow(decision: decision) }
    return ticket
  }
}
