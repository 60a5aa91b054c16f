import SondeProviders
import SondeScanner
import Testing

@testable import SondeDashboard

@Suite struct ScanOutlookTests {
  private let minute = ProviderEstimate(
    name: "ip-api",
    batch: 100,
    allowance: Allowance(requests: 15, per: .seconds(60)),
    maximum: nil
  )

  private func seconds(
    _ entries: Int,
    toAsk: Int? = nil,
    rate: Double? = nil,
    quota: Int? = nil,
    wait: Duration = .zero,
    of estimate: ProviderEstimate?
  ) -> Int? {
    ScanOutlook(
      entries: entries,
      toAsk: toAsk ?? entries,
      rate: rate,
      quota: quota,
      wait: wait
    ).secondsLeft(estimate)
  }

  @Test func `who waits for quota waits for the window, and for those behind it`() {
    #expect(seconds(1000, quota: 0, wait: .seconds(42), of: minute) == 42)
    #expect(seconds(1500, quota: 0, wait: .seconds(42), of: minute) == 42)
    #expect(seconds(1501, quota: 0, wait: .seconds(42), of: minute) == 102)
    #expect(seconds(4500, quota: 0, wait: .seconds(1), of: minute) == 121)
    // One that publishes no quota has told how long it wants to be left alone.
    let unknown = ProviderEstimate(name: "ipinfo", batch: 1, allowance: nil, maximum: nil)
    #expect(seconds(10, quota: 0, wait: .seconds(7), of: unknown) == 7)
  }

  @Test func `what is asked takes as long as the quota or the rate want, whichever is longer`() {
    #expect(seconds(1000, rate: 100, quota: 15, of: minute) == 10)
    #expect(seconds(1000, rate: 1500, quota: 2, of: minute) == 60)
    #expect(seconds(1000, rate: 1, quota: 2, of: minute) == 1000)
    #expect(seconds(1000, rate: 50, of: nil) == 20)
    #expect(seconds(1000, toAsk: 200, rate: 1000, quota: 2, of: minute) == 1)
  }

  @Test func `nothing is told that is not known`() {
    #expect(seconds(1000, of: nil) == nil)
    #expect(seconds(1000, quota: 15, of: minute) == nil)
    #expect(seconds(1000, rate: 0, of: nil) == nil)
    #expect(seconds(.max, rate: 1, of: nil) == nil)
    #expect(seconds(0, of: minute) == 0)
  }
}
