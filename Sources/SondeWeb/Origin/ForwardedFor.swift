/// Finds the client behind proxies that set `X-Forwarded-For`.
struct ForwardedFor: Sendable {
  let proxies: [PeerNetwork]

  /// The client's address: that named by the proxies, or the peer's.
  ///
  /// Each proxy appends the address of its own client, so the lines of the header are read from the
  /// right, as far as trusted proxies wrote them; entries further left may be forged by the client.
  func client(of peer: NumericAddress, fields: [String]) -> NumericAddress {
    var client = peer
    guard isProxy(client) else { return client }
    for entry in fields.joined(separator: ",").split(separator: ",").reversed() {
      guard let address = NumericAddress(entry.trimmed) else { return client }
      client = address
      guard isProxy(client) else { return client }
    }
    return client
  }

  private func isProxy(_ address: NumericAddress) -> Bool {
    proxies.contains { $0.contains(address) }
  }
}

extension StringProtocol {
  /// A copy without surrounding blanks and tabs (RFC 9110 §5.6.3).
  var trimmed: SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = firstIndex { !isBlank($0) } ?? endIndex
    let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? endIndex
    return start < end ? self[start..<end] : self[endIndex...]
  }
}
