import Glibc

/// Rules that select the proxy of a request.
///
/// The variables are those of the curl tool (libcurl-env(3)). They are read here and not by
/// libcurl, so that a monitor of the path to a server watches the host that requests actually go
/// to.
public struct ProxyRules: Sendable {
  /// A variable of the environment that is not the URL of a proxy.
  public struct VariableError: Error, Sendable, CustomStringConvertible {
    /// The variable, whose value may contain a password and is not kept.
    public let name: String

    /// The error, in plain words.
    public var description: String { "\(name) is no URL of a proxy" }
  }

  private var plain: Proxy?
  private var secure: Proxy?
  private var exceptions: [String] = []

  /// Creates rules that use no proxy.
  public init() {}

  /// Reads the variables; throws ``VariableError`` for the first invalid value.
  ///
  /// libcurl parses them; ``TransferError`` is thrown if it cannot be loaded.
  public init(environment: [String: String]) throws {
    // An empty variable counts as unset.
    func first(of names: [String]) -> (name: String, value: String)? {
      names.lazy.compactMap { name in environment[name].map { (name, $0) } }.first { !$1.isEmpty }
    }
    func proxy(_ names: String...) throws -> Proxy? {
      guard let (name, value) = first(of: names) else { return nil }
      guard let proxy = try Proxy(url: value) else { throw VariableError(name: name) }
      return proxy
    }
    // Lower case only, since clients of CGI programs can set HTTP_PROXY.
    plain = try proxy("http_proxy", "all_proxy", "ALL_PROXY")
    secure = try proxy("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    let list = first(of: ["no_proxy", "NO_PROXY"])?.value ?? ""
    exceptions = list.split { $0 == "," || $0.isWhitespace }.map { $0.lowercased() }
  }

  /// Creates rules that send all requests through one proxy.
  init(everything proxy: Proxy?) { (plain, secure) = (proxy, proxy) }

  /// The proxy for requests to an endpoint; `nil` for a direct connection.
  ///
  /// A secret is a token or key, which must not leave this machine unencrypted.
  public func proxy(to endpoint: Endpoint, withSecret secret: Bool) -> Proxy? {
    guard endpoint.isSecure || !secret, let proxy = endpoint.isSecure ? secure : plain else {
      return nil
    }
    return exceptions.contains { Self.excepts($0, endpoint.host) } ? nil : proxy
  }

  /// Whether an entry of `no_proxy` matches a host: `*`, its name or a parent domain, its address,
  /// or a CIDR block.
  static func excepts(_ entry: String, _ host: String) -> Bool {
    if entry == "*" { return true }
    let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if let address = NetworkAddress(host) {
      guard let network = NetworkAddress(parts[0]) else { return false }
      guard parts.count == 2 else { return address == network }
      return Int(parts[1]).map { address.isEqual(to: network, inFirst: $0) } ?? false
    }
    let name = withoutFinalDot(host)
    let domain = withoutFinalDot(entry.drop { $0 == "." })
    return !domain.isEmpty && (name == domain || name.hasSuffix("." + domain))
  }

  private static func withoutFinalDot(_ name: some StringProtocol) -> String {
    name.hasSuffix(".") ? String(name.dropLast()) : String(name)
  }
}

/// The 4 or 16 bytes of an IP address in network order.
private struct NetworkAddress: Equatable {
  private let bytes: [UInt8]

  /// Parses an address (inet_pton(3)), also IPv6 in brackets.
  init?(_ text: some StringProtocol) {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let plain = isBracketed ? String(text.dropFirst().dropLast()) : String(text)
    let isIPv6 = plain.contains(":")
    var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
    guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, plain, &bytes) == 1 else { return nil }
    self.bytes = bytes
  }

  /// Whether the leading bits are the same; never true of different families.
  func isEqual(to other: NetworkAddress, inFirst bits: Int) -> Bool {
    guard bytes.count == other.bytes.count, (0...bytes.count * 8).contains(bits) else {
      return false
    }
    let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
    guard bytes[..<whole] == other.bytes[..<whole] else { return false }
    return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
  }
}
