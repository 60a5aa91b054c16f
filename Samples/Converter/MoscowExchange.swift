import Reachability
import System
import Transfer
import Web

/// Why there are no rates.
enum RatesError: Error, CustomStringConvertible {
  /// Nothing can be asked with these settings.
  case setup(String)
  /// There is no path to the exchange.
  case networkLost(String)
  /// The exchange answers nothing of use.
  case exchange(String)

  var description: String {
    switch self {
    case .setup(let reason): reason
    case .networkLost(let reason): "Network lost: \(reason)"
    case .exchange(let reason): "The exchange is at fault: \(reason)"
    }
  }
}

/// Asks the Moscow Exchange for its rates, while the network is watched.
final class MoscowExchange: Sendable {
  private static let path = "iss/statistics/engines/currency/markets/selt/rates.json?iss.meta=off"
  private static let standardBase = "https://iss.moex.com"

  /// Sees the path to the exchange.
  let monitor: NetworkMonitor

  private let client: HTTPClient
  private let url: String

  /// Starts watching.
  ///
  /// - Parameter environment: `CONVERTER_URL` replaces the base; proxies are those of curl's variables.
  /// - Throws: ``RatesError``, and what the libraries throw.
  init(environment: [String: String]) throws {
    let base = environment["CONVERTER_URL"] ?? ""
    url = (base.isEmpty ? Self.standardBase : base) + (base.hasSuffix("/") ? "" : "/") + Self.path
    guard let target = try Transfer.Endpoint(url: url) else {
      throw RatesError.setup("CONVERTER_URL is no http or https URL")
    }
    var configuration = HTTPClient.Configuration(version: "1.0")
    configuration.userAgent = "converter/1.0"
    configuration.proxies = try ProxyRules(environment: environment)
    client = try HTTPClient(configuration: configuration)
    let proxy = configuration.proxies.proxy(to: target, withSecret: false)
    // Who asks by a proxy needs the path to that.
    let place = proxy.map { ($0.host, $0.port) } ?? (target.host, target.port)
    guard let endpoint = Reachability.Endpoint("\(place.0):\(place.1)", defaultPort: 443) else {
      throw RatesError.setup("\(place.0) is no endpoint")
    }
    monitor = try NetworkMonitor(NetworkMonitor.Configuration(endpoint: endpoint))
  }

  /// Asks for the rates; a loss of the network ends that at once.
  ///
  /// - Returns: The rates.
  /// - Throws: ``RatesError``.
  func rates() async throws(RatesError) -> Rates {
    let giveUps = client.giveUps
    let watching = Task {
      for await state in monitor.states() where !state.verdict.isOnline { client.giveUpAll() }
    }
    defer { watching.cancel() }
    let request = Transfer.Request(url: url, isFreshConnection: true, maximumBody: 1 << 20)
    do {
      let response = try await client.send(request, after: giveUps)
      guard response.status == 200 else {
        throw RatesError.exchange("it answers with status \(response.status)")
      }
      let answer = try? JSON(parsing: response.body)
      if let rates = answer.flatMap({ Rates($0, fetched: Clocks.wall) }) { return rates }
      throw RatesError.exchange("it does not answer with rates")
    } catch let error as TransferError
      where error.reason == .givenUp || error.evidence?.isLoss == true
    {
      throw .networkLost(monitor.state?.reason ?? "\(error)")
    } catch {
      throw error as? RatesError ?? .exchange("\(error)")
    }
  }
}
