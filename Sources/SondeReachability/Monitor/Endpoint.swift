/// The target of a path: a host name or address, and a TCP port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// The name or address; an IPv6 address has no brackets.
  public let host: String

  /// The TCP port.
  public let port: UInt16

  /// Creates an endpoint.
  public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Parses `HOST`, `HOST:PORT`, `IPV6` or `[IPV6]:PORT`; `nil` if it is none of these.
  public init?(_ text: String, defaultPort: UInt16) {
    var host = Substring(text)
    var port: Substring?
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    let isHost = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && !"/[],".utf8.contains($0) }
    guard !host.isEmpty, isHost else { return nil }
    // Digits only: the standard library would also accept a sign.
    let isNumber = port?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? true
    guard isNumber, let number = port.map({ UInt16($0) }) ?? defaultPort, number > 0 else {
      return nil
    }
    self.init(host: String(host), port: number)
  }

  /// The form `HOST:PORT`, with brackets around an IPv6 address.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
