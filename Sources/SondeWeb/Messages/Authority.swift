/// A host and an optional port: `127.0.0.1:8053`, `[::1]`, `sonde.example` (RFC 3986 §3.2).
public struct Authority: Hashable, Sendable, CustomStringConvertible {
  /// The host in lower case; an IPv6 address with its brackets.
  public let host: String

  /// The port; `nil` for the scheme's default.
  public let port: Int?

  /// Creates an authority.
  public init(host: String, port: Int?) { (self.host, self.port) = (host.lowercased(), port) }

  /// Parses the value of a `Host` header; `nil` for anything else, including user names.
  public init?(_ text: some StringProtocol) {
    let text = text.lowercased()
    let isBracketed = text.hasPrefix("[")
    guard
      let end = isBracketed ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
    else { return nil }
    let host = isBracketed ? text[...end] : text[..<end]
    let rest = isBracketed ? text[end...].dropFirst() : text[end...]
    guard host.utf8.count <= 255, isBracketed ? host.isBracketedAddress : host.isHostName else {
      return nil
    }
    self.host = String(host)
    if rest.isEmpty || rest == ":" {
      port = nil
    } else {
      guard rest.hasPrefix(":"), let port = Int(decimal: rest.dropFirst(), in: 0...65_535) else {
        return nil
      }
      self.port = port
    }
  }

  func withPort(of scheme: Scheme) -> Authority {
    Authority(host: host, port: port ?? scheme.defaultPort)
  }

  /// The form used in URLs.
  public var description: String { host + (port.map { ":\($0)" } ?? "") }
}

/// The scheme of a page's URL.
public enum Scheme: String, Sendable {
  /// Without encryption.
  case http
  /// Over TLS.
  case https

  /// The port of URLs that name none.
  var defaultPort: Int { self == .http ? 80 : 443 }
}

extension StringProtocol {
  fileprivate var isHostName: Bool { !isEmpty && isAlphanumeric(or: "-._") }

  fileprivate var isBracketedAddress: Bool {
    NumericAddress(dropFirst().dropLast())?.isIPv4 == false
  }
}

extension StringProtocol {
  /// Whether it has only ASCII letters, digits, and these marks.
  func isAlphanumeric(or marks: String) -> Bool {
    utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || marks.utf8.contains(byte)
    }
  }
}

extension Int {
  /// Parses a number that consists of decimal digits only.
  init?(decimal text: some StringProtocol, in range: ClosedRange<Int>) {
    guard !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let value = Int(text), range.contains(value)
    else { return nil }
    self = value
  }
}
