extension Request {
  /// Checks the request and returns its endpoint; throws `misconfigured`, which has no values.
  func validated() throws(TransferError) -> Endpoint {
    guard let endpoint = try Endpoint(url: url) else {
      throw TransferError(.misconfigured("the URL is not a valid http or https URL"))
    }
    if let problem = headerProblem ?? secretProblem(at: endpoint) {
      throw TransferError(.misconfigured(problem), host: endpoint.host, port: endpoint.port)
    }
    return endpoint
  }

  /// The header fields to send, each a line without its end, as CURLOPT_HTTPHEADER(3) requires.
  var headerLines: [String] {
    // Without this, libcurl delays a large body by up to a second.
    var lines = method == .post ? ["Expect:"] : []
    for (name, value) in headers + secretHeaders {
      lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
    if let bearerToken { lines.append("Authorization: Bearer \(bearerToken)") }
    return lines
  }

  /// What is wrong with its header fields; `nil` if nothing is.
  public var headerProblem: String? {
    for (name, value) in headers + secretHeaders {
      guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
        return "the name of a header field is malformed"
      }
      guard isFieldValue(value) else {
        return "the header field \(name) holds a control character"
      }
      if Self.framing.contains(name.lowercased()) {
        return "the header field \(name) is set by the client alone"
      }
    }
    let isOpen = headers.contains { $0.name.lowercased() == "authorization" }
    return isOpen ? "the header field Authorization can only be set as a secret" : nil
  }

  /// The fields that say where a request goes and where it ends (RFC 9112 §3.2, §6).
  private static let framing: Set<String> = ["host", "content-length", "transfer-encoding"]

  var holdsSecret: Bool { bearerToken != nil || hasKeyInURL || !secretHeaders.isEmpty }

  private func secretProblem(at endpoint: Endpoint) -> String? {
    guard holdsSecret else { return nil }
    let token = bearerToken ?? "-"
    guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return "the token is empty or holds characters that no token has"
    }
    guard endpoint.isSecure || endpoint.isLoopback else {
      return "refused to send a token unencrypted"
    }
    return nil
  }
}

/// Whether a text may be the value of a field: without control characters but the tab (RFC 9110 §5.5).
func isFieldValue(_ text: String) -> Bool {
  text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
}

/// Whether the byte may occur in a field name (`tchar`, RFC 9110 §5.6.2).
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
