/// A server's answer, with any status.
public struct Response: Sendable {
  /// The HTTP status code.
  public let status: Int

  /// The body, decompressed.
  ///
  /// Its array has a spare capacity of at least ``padding`` bytes, which a vectorised JSON parser
  /// may read without a copy.
  public let body: [UInt8]

  /// The address of the server or proxy; `nil` if unknown.
  public let remoteAddress: String?

  /// The version of HTTP used.
  public let httpVersion: HTTPVersion?

  /// Whether this is a login page (or a redirect to one) instead of data.
  ///
  /// True for every 3xx, for 511 (RFC 6585 §6), and for a 200 with HTML, by its type or because its
  /// body begins with `<`. HTML with another status is the server's own error page.
  public let looksLikeLoginPage: Bool

  /// The header section as received, from the status line to the empty line.
  private let rawHeader: [UInt8]

  /// The spare capacity after a body, in bytes: simdjson's `SIMDJSON_PADDING`.
  public static let padding = 64

  /// A version of HTTP.
  public enum HTTPVersion: Sendable {
    case http1
    case http2
  }

  /// Creates a response, for example for a test.
  ///
  /// A body without ``padding`` bytes of spare capacity is copied. The header section has its line
  /// ends, and optionally a status line.
  public init(
    status: Int,
    body: consuming [UInt8],
    rawHeader: [UInt8] = [],
    remoteAddress: String? = nil,
    httpVersion: HTTPVersion? = nil
  ) {
    if body.capacity < body.count + Response.padding {
      body.reserveCapacity(body.count + Response.padding)
    }
    (self.status, self.remoteAddress, self.httpVersion) = (status, remoteAddress, httpVersion)
    looksLikeLoginPage = Self.isLoginPage(status, HeaderSection(bytes: rawHeader), body)
    self.body = body
    self.rawHeader = rawHeader
  }

  private static func isLoginPage(_ status: Int, _ header: HeaderSection, _ body: [UInt8]) -> Bool {
    isOfLoginPage(status) || status == 200 && (hasHTMLType(header) || beginsWithMarkup(body))
  }

  /// The first value of a header field, without surrounding white space; case is ignored in names.
  public func header(_ name: String) -> String? {
    guard let range = HeaderSection(bytes: rawHeader).value(of: name.utf8) else { return nil }
    return String(decoding: rawHeader[range], as: UTF8.self)
  }

  /// All values of a header field, in order.
  public func values(of name: String) -> [String] {
    let section = HeaderSection(bytes: rawHeader)
    return section.values(of: name.utf8).map { String(decoding: rawHeader[$0], as: UTF8.self) }
  }

  /// The value of `Content-Type`.
  public var contentType: String? { header("content-type") }

  /// Whether a status belongs to a login page or a redirect to one.
  static func isOfLoginPage(_ status: Int) -> Bool { 300..<400 ~= status || status == 511 }

  private static func hasHTMLType(_ header: HeaderSection) -> Bool {
    guard let type = header.value(of: "content-type".utf8) else { return false }
    return ["text/html", "application/xhtml"].contains {
      header.bytes[type].beginsIgnoringCase(with: $0.utf8)
    }
  }

  private static func beginsWithMarkup(_ body: [UInt8]) -> Bool {
    let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = body.starts(with: byteOrderMark) ? body.dropFirst(3) : body[...]
    return text.first { !isWhiteSpace($0) } == UInt8(ascii: "<")
  }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible {
  /// The status and the size of the body, never its content.
  public var description: String { "HTTP \(status), \(body.count) bytes" }

  /// The same as ``description``.
  public var debugDescription: String { description }
}
