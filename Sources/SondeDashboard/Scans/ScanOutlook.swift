import SondeProviders
import SondeScanner

/// What is left of a scan at work, and how long that takes: a pure value.
struct ScanOutlook: Sendable {
  /// The entries that are left.
  let entries: Int

  /// How many of them are about to be asked for.
  let toAsk: Int

  /// Records a second, lately; `nil` if unknown, or nothing may be sent.
  let rate: Double?

  /// Requests that may be sent now; `nil` where that is not known yet.
  let quota: Int?

  /// How long none may be sent.
  let wait: Duration

  /// The maximum reported time, in seconds.
  private static let longest = 1e9

  /// Tells how long the rest takes.
  ///
  /// - Parameter estimate: What the provider that is asked would need; `nil` where none is asked.
  /// - Returns: About how many seconds; `nil` if unknown.
  func secondsLeft(_ estimate: ProviderEstimate?) -> Int? {
    if entries == 0 { return 0 }
    let byRate = rate.flatMap { $0 > 0 ? Double(entries) / $0 : nil }
    let times = [byRate, estimate.flatMap(byQuota), wait > .zero ? wait / .seconds(1) : nil]
    guard let seconds = times.compactMap(\.self).max(), seconds < Self.longest else { return nil }
    return Int(seconds.rounded(.up))
  }

  /// The time until the quota has allowed all requests but those that it allows now; `nil` where it
  /// allows all of them.
  private func byQuota(_ estimate: ProviderEstimate) -> Double? {
    guard let allowance = estimate.allowance, allowance.requests > 0 else { return nil }
    let later = estimate.requests(for: toAsk) - (quota ?? allowance.requests)
    guard later > 0 else { return nil }
    let windows = (later + allowance.requests - 1) / allowance.requests
    let first = wait > .zero ? wait : allowance.period
    return (first + allowance.period * (windows - 1)) / .seconds(1)
  }
}
