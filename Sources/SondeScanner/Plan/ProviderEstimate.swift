import SondeAsking
public import SondeProviders
import SondeRecords
public import SondeStore

/// What a provider would need for a number of addresses.
public struct ProviderEstimate: Sendable {
  /// The provider.
  public let name: String
  /// The most addresses of a request; 0 where nothing is sent.
  public let batch: Int
  /// The quota, as far as it is published or set; `nil` where none is known.
  public let allowance: Allowance?
  /// The rate that is set; it holds whatever is left of the quota.
  private let rate: Allowance?
  /// The most requests that may be sent; `nil` for any number.
  public let maximum: Int?
  /// What is left of the quota's window; `nil` where nothing was spent of it.
  public private(set) var rest: Quota.Rest?

  /// Where it is kept what is spent of the quota, and what that begins with.
  private var spending: (account: QuotaAccount, start: Quota)?

  /// Describes what a provider needs.
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

  /// Describes what a web API needs.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - api: The web API.
  ///   - rate: The rate that is set in place of the published one, if any.
  ///   - maximum: The most requests that may be sent; `nil` for any number.
  ///   - ledger: Where it is kept what is spent of its quota; `nil` for no ledger.
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

  /// The same with what the ledger says that is left of the window; it is only read.
  public func withRest() async -> ProviderEstimate {
    guard let (account, start) = spending, let rest = await account.rest(start) else { return self }
    return with(rest)
  }

  /// The same with another rest of the window.
  func with(_ rest: Quota.Rest) -> ProviderEstimate {
    var estimate = self
    estimate.rest = rest
    return estimate
  }

  /// The requests that so many addresses take, as far as they may be sent.
  public func requests(for addresses: Int) -> Int {
    guard batch > 0 else { return 0 }
    let needed = (addresses + batch - 1) / batch
    return min(needed, maximum ?? needed)
  }

  /// The least time that so many requests take; `nil` where no limit is known.
  public func duration(of requests: Int) -> Duration? {
    guard batch > 0, requests > 0 else { return .zero }
    guard let rest else { return allowance.map { $0.windows(before: requests) } }
    let least = rate?.windows(before: requests) ?? .zero
    guard requests > rest.requests else { return least }
    let later = allowance?.windows(before: requests - rest.requests) ?? .zero
    return max(least, .seconds((rest.length / .seconds(1)).rounded(.up)) + later)
  }

  /// The least time that so many requests take, for a person.
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

extension Allowance {
  /// The windows that are over before the last of so many requests is sent.
  func windows(before requests: Int) -> Duration {
    period * ((requests - 1) / self.requests)
  }
}
