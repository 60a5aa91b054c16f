#if DEBUG
  import SondeAddresses
  import SondeNames
  import SondeRedis
  import SondeSystem
  import TestSupport

  @testable import SondeProviders
  @testable import SondeRecords
  @testable import SondeSources
  @testable import SondeStore

  extension FuzzTarget {
    /// What a Redis answers, and what others have put there.
    static let servers = [
      FuzzTarget("redis") { bytes in
        guard let server = redis, let place = try? RedisPlace("unix://\(server.path)") else {
          return
        }
        server.answer(with: bytes)
        guard
          let session = try? SharedSession(
            RedisAccess(to: place),
            at: .unix(path: server.path),
            limit: .seconds(2)
          )
        else {
          return
        }
        var clock = SharedClock()
        clock.learn(
          session.reading.time,
          sent: session.reading.sent,
          received: session.reading.received
        )
        _ = clock.time(at: session.reading.received)
        guard let former = try? session.exchange([1], expecting: nil, for: []) else { return }
        clock.learn(former.time, sent: session.reading.sent, received: Clocks.steady)
        _ = clock.time(at: Clocks.steady)
        while let replies = try? session.send([[[1]], [[2]]]) {
          for reply in replies {
            for pair in SharedAnswers.pairs(reply) { readKept(pair.value) }
          }
        }
      },
      FuzzTarget("kept") { readKept($0) },
      FuzzTarget("ledger") { readLedger($0) },
    ]

    private static let redis = try? FakeRedis()

    private static func readKept(_ bytes: [UInt8]) {
      _ = AnswerScope(sharedText: bytes)
      _ = HostNames(kept: bytes)
      _ = Owner(kept: bytes)
      if let answer = SharedAnswer.read(bytes) {
        precondition(answer.range.upperBound <= bytes.count)
      }
      var stored = StoredAnswers()
      for address in addresses {
        stored.append(bytes.span, to: 0, address, given: 0, scope: 0)
      }
      check(stored.decoded().block)
    }

    private static func readLedger(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let now = Duration.seconds(1_000_000)
      let start = Quota(
        allowance: bytes.pick([Allowance(requests: 15, per: .seconds(60)), nil]),
        isRolling: bytes.byte() & 1 == 1,
        believing: .atMost(.seconds(300))
      )
      let reading = ClockReading(
        steady: now,
        boot: UInt64(bytes.byte() & 1),
        wall: .seconds(1_800_000_000)
      )
      let row = bytes.all
      if let row = SharedRow(row) {
        _ = SharedRow.loss(of: row, seen: .zero, run: 1, now: now)
      }
      var quota = SharedQuota(bytes: row, start: start, at: reading)
      quota.dropDead(now: now) { $0 & 1 == 0 }
      quota.doubt(since: now)
      for second in [0, 30, 90, 4_000_000] {
        let now = now + .seconds(second)
        let (tickets, denial) = quota.reserve(3, for: 2, now: now)
        check(denial, at: now, within: .seconds(300))
        var notice = QuotaNotice()
        (notice.remaining, notice.resetsIn, notice.isAnswer) = (3, .seconds(20), true)
        for ticket in tickets { quota.settle(ticket, of: 2, .answered(notice), now: now) }
        _ = quota.quota.rest(at: now)
      }
      let again = SharedQuota(bytes: quota.bytes, start: start, at: reading)
      _ = again.isUsedByOthers(than: 2, with: 0)
    }
  }
#endif
