public import SondeProviders
import Synchronization

/// The rates set by `--rate`: one per provider, shared by the whole process.
public final class RequestRates: Sendable {
  private let rates = Mutex<[Provider: RequestRate]>([:])

  /// Creates rates that are set when they are first asked for.
  public init() {}

  /// The rate of a provider; `nil` if there is no `allowance`.
  public func rate(of provider: Provider, _ allowance: Allowance?) -> RequestRate? {
    guard let allowance else { return nil }
    return rates.withLock { rates in
      if let rate = rates[provider] { return rate }
      let rate = RequestRate(allowance)
      rates[provider] = rate
      return rate
    }
  }
}
