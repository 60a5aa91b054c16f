import SondeProviders
import Testing

@testable import SondeScanner

@Suite struct ProviderEstimateTests {
  private let free = Allowance(requests: 15, per: .seconds(60))

  private func estimate(
    batch: Int = 100,
    _ allowance: Allowance?,
    maximum: Int? = nil
  ) -> ProviderEstimate {
    ProviderEstimate(name: "ip-api", batch: batch, allowance: allowance, maximum: maximum)
  }

  @Test func `requests are whole batches, as far as they may be sent`() {
    let table = [(0, 0), (1, 1), (99, 1), (100, 1), (101, 2), (10_000, 100), (10_001, 101)]
    for (addresses, requests) in table {
      #expect(estimate(free).requests(for: addresses) == requests)
    }
    #expect(estimate(free, maximum: 3).requests(for: 10_000) == 3)
    #expect(estimate(free, maximum: 3).requests(for: 200) == 2)
    #expect(estimate(batch: 1, free).requests(for: 45) == 45)
    #expect(estimate(batch: 0, nil).requests(for: 45) == 0)
  }

  @Test func `the time is the windows before the last one`() {
    let table = [
      (0, "none"), (1, "at once (15 a minute)"), (15, "at once (15 a minute)"),
      (16, "1 min (15 a minute)"), (30, "1 min (15 a minute)"), (31, "2 min (15 a minute)"),
      (100, "6 min (15 a minute)"), (100_000, "4 days 15 h (15 a minute)"),
    ]
    for (requests, text) in table { #expect(estimate(free).time(for: requests) == text) }
    #expect(estimate(Allowance(requests: 5, per: .seconds(1))).time(for: 11) == "2 s (5 a second)")
    let slow = Allowance(requests: 1, per: .seconds(10))
    #expect(estimate(slow).time(for: 2) == "10 s (1 per 10 s)")
    #expect(estimate(nil).time(for: 11) == "at once; no limit is known")
    #expect(estimate(batch: 0, nil).time(for: 0) == "at once; sends nothing")
  }

  @Test func `what was spent of the window is waited for`() {
    let rest = Quota.Rest(requests: 3, length: .milliseconds(41_200))
    let table = [
      (0, "none"), (3, "at once (15 a minute, 3 left now)"),
      (4, "42 s (15 a minute, 3 left now)"), (18, "42 s (15 a minute, 3 left now)"),
      (19, "1 min 42 s (15 a minute, 3 left now)"),
    ]
    for (requests, text) in table {
      #expect(estimate(free).with(rest).time(for: requests) == text)
    }
    let wide = Quota.Rest(requests: 14, length: .seconds(60))
    let slow = ProviderEstimate(
      name: "ip-api",
      batch: 100,
      allowance: free,
      rate: Allowance(requests: 1, per: .seconds(1)),
      maximum: nil
    )
    #expect(slow.time(for: 10) == "9 s (1 a second)")
    #expect(slow.with(wide).time(for: 10) == "9 s (1 a second, 14 left now)")
    #expect(slow.with(wide).time(for: 16) == "1 min 1 s (1 a second, 14 left now)")
    let paused = Quota.Rest(requests: 0, length: .seconds(5))
    #expect(estimate(nil).with(paused).time(for: 1) == "5 s (0 left now)")
    #expect(estimate(batch: 0, nil).with(paused).time(for: 1) == "at once; sends nothing")
  }
}
