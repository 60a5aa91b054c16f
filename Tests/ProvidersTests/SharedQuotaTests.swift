import TestSupport
import Testing

@testable import SondeProviders

/// Processes that share a quota through its bytes, each with its own idea of the start.
private struct Sharing {
  var bytes: [UInt8] = []
  var start = Quota(allowance: Allowance(requests: 15, per: .seconds(60)))
  var boot: UInt64 = 7
  var alive: Set<UInt64> = [1, 2, 3]
  var now = Duration.zero
  /// The wall clock when the machine was started.
  var started = Duration.seconds(1_800_000_000)

  private var reading: ClockReading {
    ClockReading(steady: now, boot: boot, wall: started + now)
  }

  func quota(of bytes: [UInt8]) -> SharedQuota {
    SharedQuota(bytes: bytes, start: start, at: reading)
  }

  mutating func change<Result>(_ body: (inout SharedQuota, Duration) -> Result) -> Result {
    var quota = quota(of: bytes)
    quota.dropDead(now: now) { [alive] in alive.contains($0) }
    defer { bytes = quota.bytes }
    return body(&quota, now)
  }

  mutating func reserve(_ holder: UInt64, _ count: Int = 1) -> [Quota.Ticket] {
    change { $0.reserve(count, for: holder, now: $1).tickets }
  }

  mutating func denial(_ holder: UInt64) -> Quota.Decision? {
    change { $0.reserve(1, for: holder, now: $1).denial }
  }

  mutating func settle(_ ticket: Quota.Ticket, _ holder: UInt64, _ outcome: Quota.Outcome) {
    change { $0.settle(ticket, of: holder, outcome, now: $1) }
  }
}

@Suite struct SharedQuotaTests {
  private func told(_ remaining: Int, _ rest: Int = 60) -> Quota.Outcome {
    var notice = QuotaNotice()
    (notice.remaining, notice.resetsIn, notice.isAnswer) = (remaining, .seconds(rest), true)
    return .answered(notice)
  }

  @Test func `after what was known is lost a whole window passes, and one request opens the next`()
    throws
  {
    var sharing = Sharing()
    sharing.now = .seconds(10)
    // However many notice, and however late.
    for _ in 0..<3 {
      sharing.change { quota, _ in quota.doubt(since: .seconds(10)) }
      #expect(sharing.denial(1) == .wait(until: .seconds(70)))
      sharing.now += .seconds(15)
    }
    sharing.now = .seconds(70)
    sharing.change { quota, _ in quota.doubt(since: .seconds(10)) }
    #expect(sharing.reserve(1, 5).count == 1)
    #expect(sharing.denial(2) == .waitForAnswer(until: nil))
  }

  @Test func `what was on its way when a short window was lost has two seconds to arrive`() {
    var sharing = Sharing()
    sharing.start = Quota(allowance: Allowance(requests: 5, per: .seconds(1)))
    sharing.change { quota, _ in quota.doubt(since: .seconds(10)) }
    #expect(sharing.denial(1) == .wait(until: .seconds(12)))
  }

  @Test func `nothing is sent, nor written down, while others may know more`() {
    var sharing = Sharing()
    let before = sharing.quota(of: []).bytes
    let denial = sharing.change { quota, now in
      quota.quietUntil = .seconds(1)
      return quota.reserve(2, for: 1, now: now).denial
    }
    #expect(denial == .waitForAnswer(until: .seconds(1)) && sharing.bytes == before)
    sharing.now = .seconds(1)
    let tickets = sharing.change { quota, now in
      quota.quietUntil = .seconds(1)
      return quota.reserve(2, for: 1, now: now).tickets
    }
    #expect(tickets.count == 1)
    sharing.start = Quota(allowance: nil)
    (sharing.bytes, sharing.now) = ([], .zero)
    let unlimited = sharing.change { quota, now in
      quota.quietUntil = .seconds(1)
      return quota.reserve(2, for: 1, now: now).tickets
    }
    #expect(unlimited.count == 2)
  }

  @Test func `neither a window of a day nor none is waited for where it was lost`() {
    for allowance in [nil, Allowance(requests: 1000, per: .seconds(86_400))] {
      var sharing = Sharing()
      sharing.start = Quota(allowance: allowance)
      sharing.change { quota, _ in quota.doubt(since: .zero) }
      #expect(sharing.reserve(1).count == 1)
    }
  }

  @Test func `what one process learns the others know`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    #expect(sharing.denial(2) == .waitForAnswer(until: nil))
    sharing.settle(opener, 1, told(4))
    #expect(sharing.reserve(2, 3).count == 3)
    #expect(sharing.reserve(1, 3).count == 1)
    guard case .waitForAnswer = sharing.denial(2) else {
      Issue.record("leave was given beyond the limit")
      return
    }
  }

  @Test func `the request of a process that is gone counts as lost, at once`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    sharing.settle(opener, 1, told(3))
    #expect(sharing.reserve(2, 2).count == 2)
    sharing.alive = [1, 3]
    #expect(sharing.reserve(1, 5).count == 1)
  }

  @Test func `another process opens the window when the one that did is gone`() {
    var sharing = Sharing()
    #expect(sharing.reserve(1).count == 1)
    #expect(sharing.denial(2) != nil)
    sharing.alive = [2]
    #expect(sharing.reserve(2).count == 1)
  }

  @Test func `a ticket comes back though the bytes were lost`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    sharing.bytes = []
    sharing.settle(opener, 1, told(2))
    #expect(sharing.reserve(2, 5).count == 2)
  }

  @Test func `bytes that are cut or changed count for nothing`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    sharing.settle(opener, 1, told(0))
    let spent = sharing.bytes
    #expect(sharing.denial(2) == .wait(until: .seconds(60)))
    for length in 0..<spent.count {
      var quota = sharing.quota(of: Array(spent[..<length]))
      #expect(quota.reserve(1, for: 1, now: .zero).tickets.count == 1 || length >= spent.count - 7)
    }
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      var wrong = spent
      wrong[Int.random(in: 0..<wrong.count, using: &generator)] ^= UInt8.random(
        in: 1...255,
        using: &generator
      )
      var quota = sharing.quota(of: wrong)
      _ = quota.reserve(8, for: 1, now: .seconds(1))
      quota.dropDead(now: .seconds(2)) { _ in false }
      _ = quota.bytes
    }
  }

  @Test func `numbers of any size do not trap`() {
    var generator = SeededGenerator(seed: 6)
    let sharing = Sharing()
    let edges: [Int64] = [.min, -1, 0, 1, 2, 3, 1 << 32 - 1, 1 << 32, .max]
    for _ in 0..<20_000 {
      var words = [Int64.random(in: 2...3, using: &generator)]
      for _ in 0..<Int.random(in: 0...40, using: &generator) {
        words.append(edges.randomElement(using: &generator) ?? 0)
      }
      let bytes = words.flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
      }
      var quota = sharing.quota(of: bytes)
      quota.dropDead(now: .seconds(2)) { _ in false }
      let tickets = quota.reserve(3, for: 1, now: .seconds(3)).tickets
      for ticket in tickets { quota.settle(ticket, of: 1, told(1), now: .seconds(4)) }
      _ = quota.bytes
    }
  }

  // MARK: Clocks

  @Test(arguments: [60, 86_400, 15 * 86_400])
  func `a window outlasts another start of the machine, as far as the wall clock goes`(
    length: Int
  ) throws {
    for passed in [0, length / 2, length - 2, length + 2] {
      var sharing = Sharing()
      sharing.now = .seconds(100_000)
      let opener = try #require(sharing.reserve(1).first)
      sharing.settle(opener, 1, told(0, length))
      // Started again, an hour of uptime later.
      (sharing.boot, sharing.alive) = (8, [2])
      sharing.started += sharing.now + .seconds(passed - 3)
      sharing.now = .seconds(3)
      let denial = sharing.denial(2)
      #expect(denial == (passed < length ? .wait(until: .seconds(length - passed + 3)) : nil))
    }
  }

  @Test func `what the machine's end took along is lost for one window, however long it had run`()
    throws
  {
    var sharing = Sharing()
    sharing.now = .seconds(30 * 86_400)
    let opener = try #require(sharing.reserve(1).first)
    sharing.settle(opener, 1, told(14))
    #expect(sharing.reserve(1, 14).count == 14)
    // Started again, when that window is over.
    (sharing.boot, sharing.alive) = (8, [2])
    sharing.started += sharing.now + .seconds(67)
    sharing.now = .seconds(3)
    for sent in [1, 15] {
      let opener = try #require(sharing.reserve(2).first)
      sharing.settle(opener, 2, told(14))
      #expect(sharing.reserve(2, 14).count == sent - 1)
      sharing.now += .seconds(61)
    }
  }

  @Test func `a clock that was set back at the start of the machine ends no window`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    sharing.settle(opener, 1, told(0, 86_400))
    (sharing.boot, sharing.started) = (8, .seconds(5))
    #expect(sharing.denial(2) == .wait(until: .seconds(86_400)))
    sharing.now = .seconds(86_401)
    #expect(sharing.reserve(2).count == 1)
  }

  @Test func `days go by the clock of the wall, minutes by the one that never jumps`() throws {
    for (length, isByWall) in [(60, false), (86_400, true)] {
      var sharing = Sharing()
      let opener = try #require(sharing.reserve(1).first)
      sharing.settle(opener, 1, told(0, length))
      sharing.started += .seconds(length + 1)
      #expect((sharing.reserve(2).count == 1) == isByWall)
    }
  }

  @Test func `the quota of a day is waited for by nobody, a short wait as told by all`() throws {
    for isOfDay in [true, false] {
      var sharing = Sharing()
      let opener = try #require(sharing.reserve(1).first)
      var notice = QuotaNotice()
      (notice.isThrottled, notice.retryAfter) = (true, .seconds(90))
      notice.isSpentForPeriod = isOfDay
      sharing.settle(opener, 1, .answered(notice))
      let end = Duration.seconds(90)
      #expect(sharing.denial(2) == (isOfDay ? .spent(until: end) : .wait(until: end)))
      sharing.now = end
      #expect(sharing.reserve(2).count == 1)
    }
  }

  @Test func `a clock that is put right by little changes nothing`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    sharing.settle(opener, 1, told(0, 86_400))
    sharing.started += .milliseconds(1500)
    #expect(sharing.denial(2) == .wait(until: .seconds(86_400)))
  }

  @Test func `a rate of one's own holds until an answer tells better`() throws {
    var sharing = Sharing()
    #expect(sharing.reserve(1).count == 1)
    sharing.start = Quota(allowance: Allowance(requests: 1, per: .seconds(5)))
    sharing.alive = [2]
    // The dead process's request is the one that may be sent.
    #expect(sharing.denial(2) != nil)
    sharing.now = .seconds(60)
    let ticket = try #require(sharing.reserve(2).first)
    sharing.settle(ticket, 2, told(9))
    #expect(sharing.reserve(2, 20).count == 9)
  }

  @Test func `those under way without a limit count when one is told`() throws {
    let start = Quota(allowance: nil)
    var quota = SharedQuota(start: start)
    let tickets = (0..<4).compactMap { quota.quota.uncountedTicket(now: .milliseconds($0)) }
    #expect(tickets.count == 4)
    for ticket in tickets.dropFirst() { quota.adopt(ticket, of: 1) }
    quota.settle(tickets[0], of: 1, told(5), now: .milliseconds(10))
    #expect(quota.reserve(9, for: 1, now: .milliseconds(11)).tickets.count == 2)
  }

  @Test func `everything survives the bytes`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    sharing.now = .milliseconds(123)
    sharing.settle(opener, 1, told(9, 30))
    let tickets = sharing.reserve(2, 3)
    sharing.settle(tickets[0], 2, .lost)
    let quota = sharing.quota(of: sharing.bytes)
    #expect(quota.bytes == sharing.bytes)
    #expect(quota.quota.remaining == 6)
    #expect(quota.isUsedByOthers(than: 1, with: 0))
    #expect(!quota.isUsedByOthers(than: 2, with: 2))
    // Two of one process do not know of each other, either.
    #expect(quota.isUsedByOthers(than: 2, with: 1))
  }

  @Test func `a process that is stopped holds nobody up for long`() {
    var sharing = Sharing()
    #expect(sharing.reserve(1).count == 1)
    sharing.now = .seconds(19)
    #expect(sharing.denial(2) != nil)
    sharing.now = .seconds(21)
    #expect(sharing.reserve(2).count == 1)
  }

  @Test func `that there is no limit does not undo a rate of one's own`() throws {
    let mirror = Quota(allowance: Allowance(requests: 15, per: .seconds(60)), isFirm: false)
    var sharing = Sharing(start: mirror)
    let opener = try #require(sharing.reserve(1).first)
    var answer = QuotaNotice()
    answer.isAnswer = true
    sharing.settle(opener, 1, .answered(answer))
    #expect(sharing.reserve(1, 100).count == 100)
    sharing.alive = [2]
    sharing.start = Quota(allowance: Allowance(requests: 1, per: .seconds(1)))
    #expect(sharing.reserve(2, 5).count == 1)
  }

  @Test func `that there is no limit is doubted when a window is over`() throws {
    var sharing = Sharing()
    sharing.start = Quota(allowance: Allowance(requests: 15, per: .seconds(60)), isFirm: false)
    var silent = QuotaNotice()
    silent.isAnswer = true
    let first = try #require(sharing.reserve(1).first)
    sharing.settle(first, 1, .answered(silent))
    sharing.now = .seconds(59)
    #expect(sharing.reserve(2, 20).count == 20)
    sharing.now = .seconds(59 + 60)
    #expect(sharing.reserve(3, 20).count == 1)
  }

  @Test func `a count without an end of the window is believed as well`() throws {
    var sharing = Sharing()
    let opener = try #require(sharing.reserve(1).first)
    var notice = QuotaNotice()
    (notice.remaining, notice.isAnswer) = (2, true)
    sharing.settle(opener, 1, .answered(notice))
    #expect(sharing.reserve(1, 9).count == 2)
  }
}
