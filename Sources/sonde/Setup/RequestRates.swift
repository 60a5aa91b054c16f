import SondeAsking
import SondeProviders
import Synchronization

/// The rates set by `--rate`: one per provider, shared by the whole process.
final class RequestRates: Sendable {
  private let rates = Mutex<[Provider: RequestRate]>([:])

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
