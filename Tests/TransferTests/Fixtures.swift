import Testing

@testable import SondeTransfer

/// A client that goes through a proxy, or through none.
func makeClient(
  maximumConnections: Int = 16,
  proxy: String = "",
  authorities: CertificateAuthorities = CertificateAuthorities()
) throws -> HTTPClient {
  var configuration = HTTPClient.Configuration(userAgent: "sonde/1.2.3")
  configuration.maximumConnections = maximumConnections
  configuration.proxies = ProxyRules(everything: proxy.isEmpty ? nil : try Proxy(url: proxy))
  configuration.authorities = authorities
  return try HTTPClient(configuration: configuration)
}

/// The error of a request that must fail.
func failure(of request: Request, from client: HTTPClient) async -> TransferError? {
  do {
    let response = try await client.send(request)
    Issue.record("answered: \(response)")
  } catch let error as TransferError {
    return error
  } catch {
    Issue.record("another error: \(error)")
  }
  return nil
}

/// The time that an operation takes.
func time(_ operation: () async throws -> Void) async rethrows -> Duration {
  let start = ContinuousClock.now
  try await operation()
  return ContinuousClock.now - start
}

extension Response {
  var text: String { String(decoding: body, as: UTF8.self) }
}
