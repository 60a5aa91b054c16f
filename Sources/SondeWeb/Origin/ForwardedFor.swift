/// Who asked, where some peers are proxies that say so in `X-Forwarded-For`.
struct ForwardedFor: Sendable {
  /// The peers that are believed.
  let proxies: [PeerNetwork]

  /// The client's address.
  ///
  /// Each proxy appends whom it was asked by, so the list is read from its right end, as long as
  /// proxies that are believed wrote it; what stands further left may be the client's own invention.
  ///
  /// - Parameters:
  ///   - peer: The other end of the connection.
  ///   - fields: The header's lines, in order.
  /// - Returns: The peer's address, or what the proxies say.
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
  /// Without blanks and tabs at its ends (RFC 9110 §5.6.3).
  var trimmed: SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = firstIndex { !isBlank($0) } ?? endIndex
    let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? endIndex
    return start < end ? self[start..<end] : self[endIndex...]
  }
}
