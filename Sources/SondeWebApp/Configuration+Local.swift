public import SondeWeb

extension Server.Configuration {
  /// The configuration for a page on this machine, on any free port.
  ///
  /// The `host` must be a loopback address that no other service uses: cookies ignore ports, so all
  /// services on the address receive them. `report` receives errors that no handler expected.
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
