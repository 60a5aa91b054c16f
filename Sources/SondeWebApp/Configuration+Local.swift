public import SondeWeb

extension Server.Configuration {
  /// For a page on this machine, on any free port.
  ///
  /// - Parameters:
  ///   - host: An address of loopback that no other service has: cookies know no ports, and would be
  ///     sent to all of that address.
  ///   - report: Told of errors that no handler foresaw.
  /// - Returns: The configuration.
  public static func local(
    _ host: String,
    report: @escaping @Sendable (String) -> Void
  ) -> Server.Configuration {
    let listen = Authority(host: host, port: 0)
    var configuration = Server.Configuration(listen: listen, cookieName: "sonde_PORT")
    configuration.problemPrefix = "urn:sonde:"
    configuration.report = report
    return configuration
  }
}
