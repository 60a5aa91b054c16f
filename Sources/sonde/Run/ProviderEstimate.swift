import Providers
import Scanner

/// What a provider would need for a number of addresses.
struct ProviderEstimate {
  let name: String
  /// The most addresses of a request; 0 where nothing is sent.
  let batch: Int
  /// The quota, as far as it is published or set; `nil` where none is known.
  let allowance: Allowance?
  /// The most requests that may be sent; `nil` for any number.
  let maximum: Int?

  /// The requests that so many addresses take, as far as they may be sent.
  func requests(for addresses: Int) -> Int {
    guard batch > 0 else { return 0 }
    let needed = (addresses + batch - 1) / batch
    return min(needed, maximum ?? needed)
  }

  /// The least time that so many requests take, for a person.
  func time(for requests: Int) -> String {
    guard batch > 0 else { return "at once; sends nothing" }
    guard requests > 0 else { return "none" }
    guard let allowance else { return "at once; no limit is known" }
    let windows = (requests - 1) / allowance.requests
    let limit = "\(allowance.requests) \(allowance.period.asWindow)"
    return windows == 0
      ? "at once (\(limit))" : "\((allowance.period * windows).forPerson) (\(limit))"
  }
}

extension Duration {
  /// The length of a window: `a minute`, `per 10 s`.
  fileprivate var asWindow: String {
    switch self {
    case .seconds(1): "a second"
    case .seconds(60): "a minute"
    case .seconds(86_400): "a day"
    default: "per \(forPerson)"
    }
  }
}

extension ProviderSetup {
  /// What a provider of the list would need.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - maximum: The most requests that may be sent; `nil` for any number.
  /// - Returns: The estimate.
  /// - Throws: ``UsageError`` where it cannot be asked as it is set.
  func estimate(for provider: Provider, maximum: Int?) throws -> ProviderEstimate {
    guard let api = try api(of: provider) else {
      return ProviderEstimate(name: provider.name, batch: 0, allowance: nil, maximum: nil)
    }
    let form: RequestForm = api.limit(of: .batch) > 0 ? .batch : .single
    return ProviderEstimate(
      name: provider.name,
      batch: api.limit(of: form),
      allowance: rate ?? api.allowance(of: form),
      maximum: maximum
    )
  }

  /// The most that a provider's quota allows; `nil` where it has none.
  func window(of provider: Provider) -> RunReport.Window? {
    guard let source = provider.sources.first?.source,
      let estimate = try? estimate(for: provider, maximum: nil),
      let allowance = estimate.allowance
    else { return nil }
    let addresses = allowance.requests.multipliedReportingOverflow(by: estimate.batch)
    guard addresses.partialValue > 0, !addresses.overflow else { return nil }
    return RunReport.Window(
      source: source,
      addresses: addresses.partialValue,
      period: allowance.period
    )
  }
}
