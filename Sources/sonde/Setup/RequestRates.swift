import SondeAsking
import SondeProviders
import Synchronization

/// The rates that `--rate` sets, one for each provider and the same for all that the process asks it.
final class RequestRates: Sendable {
  private let rates = Mutex<[Provider: RequestRate]>([:])

  /// The rate of a provider; `nil` where none is set.
  func rate(of provider: Provider, _ allowance: Allowance?) -> RequestRate? {
    guard let allowance else { return nil }
    return rates.withLock { rates in
      if let rate = rates[provider] { return rate }
      let rate = RequestRate(allowance)
      rates[provider] = rate
      return rate
    }
  }
}
