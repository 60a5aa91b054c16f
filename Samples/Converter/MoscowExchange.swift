import SondeReachability
import SondeSystem
import SondeTransfer
import SondeWeb
import SondeWebApp

/// Why there are no rates.
enum RatesError: Error, CustomStringConvertible {
  /// The settings are invalid.
  case setup(String)
  case networkLost(NetworkLost)
  /// The response of the exchange is unusable.
  case exchange(String)

  var description: String {
    switch self {
    case .setup(let reason): reason
    case .networkLost(let loss): "\(loss)"
    case .exchange(let reason): "The exchange is at fault: \(reason)"
    }
  }
}

/// Requests rates from the Moscow Exchange while watching the network.
final class MoscowExchange: Sendable {
  private static let path = "iss/statistics/engines/currency/markets/selt/rates.json?iss.meta=off"
  private static let standardBase = "https://iss.moex.com"

  private let client: WatchedClient
  private let url: String

  /// Watches the path to the exchange.
  var monitor: NetworkMonitor { client.monitor }

  /// Starts watching the network.
  ///
  /// `CONVERTER_URL` in the environment replaces the base URL; proxies are set by curl's variables.
  init(environment: [String: String]) throws {
    let base = environment["CONVERTER_URL"] ?? ""
    url = (base.isEmpty ? Self.standardBase : base) + (base.hasSuffix("/") ? "" : "/") + Self.path
    guard try SondeTransfer.Endpoint(url: url) != nil else {
      throw RatesError.setup("CONVERTER_URL is no http or https URL")
    }
    var configuration = HTTPClient.Configuration(userAgent: "converter/1.0")
    configuration.proxies = try ProxyRules(environment: environment)
    client = try WatchedClient(of: url, configuration)
  }

  /// Requests the rates; a loss of the network ends the request immediately.
  func rates() async throws(RatesError) -> Rates {
    let request = SondeTransfer.Request(url: url, isFreshConnection: true, maximumBody: 1 << 20)
    do {
      let response = try await client.send(request)
      guard response.status == 200 else {
        throw RatesError.exchange("it answers with status \(response.status)")
      }
      let answer = try? JSON(parsing: response.body)
      if let rates = answer.flatMap({ Rates($0, fetched: Clocks.wall) }) { return rates }
      throw RatesError.exchange("it does not answer with rates")
    } catch let loss as NetworkLost {
      throw .networkLost(loss)
    } catch {
      throw error as? RatesError ?? .exchange("\(error)")
    }
  }
}
