public import SondeAddresses

/// The location of a resolver.
public enum ResolverPlace: Hashable, Sendable {
  /// As in the system's configuration (resolv.conf(5)).
  case system
  /// One server.
  case server(NameServer)

  /// Parses `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`; `localhost` is 127.0.0.1 (RFC 6761
  /// §6.3).
  ///
  /// Other names are not accepted, since another server would have to resolve them.
  /// - Returns: `nil` for anything else, and for an address with a zone.
  public init?(_ text: String) {
    let isLocal = text == "localhost" || text.hasPrefix("localhost:")
    self.init(literal: isLocal ? "127.0.0.1" + text.dropFirst("localhost".count) : text)
  }

  private init?(literal text: String) {
    let bytes = Array(text.utf8)
    let isBracketed = bytes.first == UInt8(ascii: "[")
    guard let host = HostAddress(bytes.span), host.zone == nil,
      let first = bytes.first, first > 0x20, bytes.last.map({ $0 > 0x20 }) ?? false
    else { return nil }
    // An IPv6 address with a port must be in brackets.
    let hasPort = isBracketed ? bytes.last != UInt8(ascii: "]") : Address(text) == nil
    let digits = hasPort ? text.split(separator: ":").last.map { String($0) } : "53"
    guard let port = digits.flatMap({ UInt16($0) }), port > 0 else { return nil }
    self = .server(NameServer(address: host.address, port: port))
  }
}

/// A name server.
public struct NameServer: Hashable, Sendable {
  /// Its address.
  public let address: Address

  /// Its port, of UDP and TCP.
  public let port: UInt16

  /// Names a server.
  public init(address: Address, port: UInt16 = 53) { (self.address, self.port) = (address, port) }
}

extension NameServer: CustomStringConvertible {
  /// Address and port, `192.0.2.1:53` or `[2001:db8::1]:53`.
  public var description: String { address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)" }
}
