import SondeReachability
import SondeSystem
import SondeTransfer
import SondeWeb
import SondeWebApp

/// Why there are no rates.
enum RatesError: Error, CustomStringConvertible {
  /// Nothing can be asked with these settings.
  case setup(String)
  /// There is no path to the exchange.
  case networkLost(NetworkLost)
  /// The exchange answers nothing of use.
  case exchange(String)

  var description: String {
    switch self {
    case .setup(let reason): reason
    case .networkLost(let loss): "\(loss)"
    case .exchange(let reason): "The exchange is at fault: \(reason)"
    }
  }
}

/// Asks the Moscow Exchange for its rates, while the network is watched.
final class MoscowExchange: Sendable {
  private static let path = "iss/statistics/engines/currency/markets/selt/rates.json?iss.meta=off"
  private static let standardBase = "https://iss.moex.com"

  private let client: WatchedClient
  private let url: String

  /// Sees the path to the exchange.
  var monitor: NetworkMonitor { client.monitor }

  /// Starts watching.
  ///
  /// - Parameter environment: `CONVERTER_URL` replaces the base; proxies are those of curl's variables.
  /// - Throws: ``RatesError``, and what the libraries throw.
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

  /// Asks for the rates; a loss of the network ends that at once.
  ///
  /// - Returns: The rates.
  /// - Throws: ``RatesError``.
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
