import SondeProviders
import SondeScanner

/// The remaining work of a running scan, and the time it takes: a pure value.
struct ScanOutlook: Sendable {
  /// The remaining entries.
  let entries: Int

  /// The remaining entries that need a request.
  let toAsk: Int

  /// Recent records per second; `nil` if unknown, or nothing may be sent.
  let rate: Double?

  /// Requests that may be sent now; `nil` if not known yet.
  let quota: Int?

  /// The time before the next request may be sent.
  let wait: Duration

  /// The maximum reported time, in seconds.
  private static let longest = 1e9

  /// The estimated time left, in seconds; `nil` if unknown.
  ///
  /// `estimate` has the needs of the provider that is asked; `nil` if none is.
  func secondsLeft(_ estimate: ProviderEstimate?) -> Int? {
    if entries == 0 { return 0 }
    let byRate = rate.flatMap { $0 > 0 ? Double(entries) / $0 : nil }
    let times = [byRate, estimate.flatMap(byQuota), wait > .zero ? wait / .seconds(1) : nil]
    guard let seconds = times.compactMap(\.self).max(), seconds < Self.longest else { return nil }
    return Int(seconds.rounded(.up))
  }

  /// The time until the quota allows the requests that it does not allow now; `nil` without any.
  private func byQuota(_ estimate: ProviderEstimate) -> Double? {
    guard let allowance = estimate.allowance, allowance.requests > 0 else { return nil }
    let later = estimate.requests(for: toAsk) - (quota ?? allowance.requests)
    guard later > 0 else { return nil }
    let windows = (later + allowance.requests - 1) / allowance.requests
    let first = wait > .zero ? wait : allowance.period
    return (first + allowance.period * (windows - 1)) / .seconds(1)
  }
}
