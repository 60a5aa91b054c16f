import SondeAsking
public import SondeProviders
import SondeRecords
public import SondeStore

/// The effort of a provider for a number of addresses.
public struct ProviderEstimate: Sendable {
  /// The provider.
  public let name: String
  /// The largest number of addresses per request; 0 if nothing is sent.
  public let batch: Int
  /// The published or configured quota; `nil` if none is known.
  public let allowance: Allowance?
  /// The configured rate, which applies in addition to the rest of the quota.
  private let rate: Allowance?
  /// The largest number of requests permitted; `nil` for no limit.
  public let maximum: Int?
  /// The rest of the quota's window; `nil` if nothing was spent.
  public private(set) var rest: Quota.Rest?

  /// The ledger's account of the quota, and its initial state.
  private var spending: (account: QuotaAccount, start: Quota)?

  /// Creates an estimate.
  public init(
    name: String,
    batch: Int,
    allowance: Allowance?,
    rate: Allowance? = nil,
    maximum: Int?
  ) {
    (self.name, self.batch) = (name, batch)
    (self.allowance, self.rate, self.maximum) = (rate ?? allowance, rate, maximum)
  }

  /// Creates the estimate of a web API, with a rate that may replace the published one.
  public init(
    name: String,
    of api: any RemoteAPI,
    rate: Allowance?,
    maximum: Int?,
    ledger: (any QuotaLedger)?
  ) {
    let form: RequestForm = api.limit(of: .batch) > 0 ? .batch : .single
    self.init(
      name: name,
      batch: api.limit(of: form),
      allowance: api.allowance(of: form),
      rate: rate,
      maximum: maximum
    )
    spending = ledger.map { (QuotaAccount($0, of: api, form), Quota(of: api, form, rate: rate)) }
  }

  /// A copy with the rest of the window from the ledger, which is only read.
  public func withRest() async -> ProviderEstimate {
    guard let (account, start) = spending, let rest = await account.rest(start) else { return self }
    return with(rest)
  }

  func with(_ rest: Quota.Rest) -> ProviderEstimate {
    var estimate = self
    estimate.rest = rest
    return estimate
  }

  /// The number of requests for some addresses, as far as permitted.
  public func requests(for addresses: Int) -> Int {
    guard batch > 0 else { return 0 }
    let needed = (addresses + batch - 1) / batch
    return min(needed, maximum ?? needed)
  }

  /// The minimum time for some requests; `nil` if no limit is known.
  public func duration(of requests: Int) -> Duration? {
    guard batch > 0, requests > 0 else { return .zero }
    guard let rest else { return allowance.map { $0.windows(before: requests) } }
    let least = rate?.windows(before: requests) ?? .zero
    guard requests > rest.requests else { return least }
    let later = allowance?.windows(before: requests - rest.requests) ?? .zero
    return max(least, .seconds((rest.length / .seconds(1)).rounded(.up)) + later)
  }

  /// The minimum time for some requests, in plain words.
  public func time(for requests: Int) -> String {
    guard batch > 0 else { return "at once; sends nothing" }
    guard requests > 0 else { return "none" }
    guard let duration = duration(of: requests) else { return "at once; no limit is known" }
    let limit = allowance.map { "\($0.requests) \($0.period.asWindow)" }
    let left = rest.map { "\($0.requests) left now" }
    let words = [limit, left].compactMap(\.self).joined(separator: ", ")
    return (duration == .zero ? "at once" : duration.forPerson) + " (\(words))"
  }
}
