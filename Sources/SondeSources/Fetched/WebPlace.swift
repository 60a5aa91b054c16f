/// The parts of a URL: where it begins, and what is behind that.
public struct WebPlace: Sendable, Equatable {
  /// Scheme, host and port.
  public let origin: String
  /// The path and the query.
  public let path: String
  /// Whether it has a user or a password (RFC 3986 §3.2.1).
  public let hasUser: Bool

  /// Divides a URL; `nil` if it is not one by HTTP or HTTPS.
  public init?(_ url: String) {
    guard let scheme = url.firstRange(of: "://"),
      ["http", "https"].contains(url[..<scheme.lowerBound].lowercased()),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else { return nil }
    let rest = url[scheme.upperBound...].prefix { $0 != "#" }
    let authority = rest.prefix { !"/?".contains($0) }
    guard !authority.isEmpty else { return nil }
    let behind = rest[authority.endIndex...]
    origin = url[..<scheme.lowerBound].lowercased() + "://" + authority
    path = behind.hasPrefix("/") ? String(behind) : "/" + behind
    hasUser = authority.contains("@")
  }

  /// The path of a redirect within the same origin; `nil` for any other target.
  func path(ofRedirect location: String) -> String? {
    if let place = WebPlace(location) { return place.origin == origin ? place.path : nil }
    return location.hasPrefix("/") && !location.hasPrefix("//") ? location : nil
  }
}
