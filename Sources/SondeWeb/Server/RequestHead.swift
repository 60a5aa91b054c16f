/// The request line and the header.
struct RequestHead: Sendable {
  var method: Method?
  var target: String
  /// Whether the version is HTTP/1.0.
  var isOld = false
  var headers = HeaderFields()
  var isWhole = true
  var peer: NumericAddress
  /// Whether the peer is a socket of another user of this machine.
  var isForeign = false

  /// The properties checked by the origin rules.
  ///
  /// Duplicate headers are joined, and so do not match.
  func question(isView: Bool) -> OriginRules.Question {
    func joined(_ name: String) -> String? {
      let values = headers.values(of: name)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    return OriginRules.Question(
      method: method,
      host: joined("Host"),
      origin: joined("Origin"),
      site: joined("Sec-Fetch-Site"),
      mode: joined("Sec-Fetch-Mode"),
      destination: joined("Sec-Fetch-Dest"),
      isView: isView
    )
  }
}
