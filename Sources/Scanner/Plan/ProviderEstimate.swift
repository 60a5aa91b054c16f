public import Providers
import Records

/// What a provider would need for a number of addresses.
public struct ProviderEstimate: Sendable {
  /// The provider.
  public let name: String
  /// The most addresses of a request; 0 where nothing is sent.
  public let batch: Int
  /// The quota, as far as it is published or set; `nil` where none is known.
  public let allowance: Allowance?
  /// The most requests that may be sent; `nil` for any number.
  public let maximum: Int?

  /// Describes what a provider needs.
  public init(name: String, batch: Int, allowance: Allowance?, maximum: Int?) {
    (self.name, self.batch) = (name, batch)
    (self.allowance, self.maximum) = (allowance, maximum)
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
    return allowance.map { $0.period * ((requests - 1) / $0.requests) }
  }

  /// The least time that so many requests take, for a person.
  public func time(for requests: Int) -> String {
    guard batch > 0 else { return "at once; sends nothing" }
    guard requests > 0 else { return "none" }
    guard let allowance, let duration = duration(of: requests) else {
      return "at once; no limit is known"
    }
    let limit = "\(allowance.requests) \(allowance.period.asWindow)"
    return duration == .zero ? "at once (\(limit))" : "\(duration.forPerson) (\(limit))"
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
