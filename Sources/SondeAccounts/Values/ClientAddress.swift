import Glibc

/// Where a request comes from, as far as it can be told from others.
///
/// Of IPv6 it is the /64: so many addresses are given to one household (RFC 6177, BCP 157).
public struct ClientAddress: Hashable, Sendable {
  private let bits: UInt64
  /// Tells IPv4 from IPv6 and both from everything else.
  private let length: Int

  /// Takes an address as it stands in a packet.
  ///
  /// - Parameter bytes: 4 of IPv4 or 16 of IPv6, where `::ffff:a.b.c.d` is the former; those without
  ///   either, for instance the peers of a local socket, all count as one.
  public init(_ bytes: [UInt8]) {
    let known = Self.known(of: bytes)
    bits = known.reduce(0) { $0 << 8 | UInt64($1) }
    length = known.count
  }

  private init(bits: UInt64, length: Int) { (self.bits, self.length) = (bits, length) }

  /// What it has in common with its neighbours: of IPv4 the /24, of IPv6 the /48, which is what a
  /// site is given (RFC 6177).
  var network: ClientAddress { ClientAddress(bits: bits >> (length == 4 ? 8 : 16), length: length) }

  /// Takes an address as it is written, of which a zone is left out; what is none counts as no bytes.
  public init(text: String) {
    let text = String(text.prefix { $0 != "%" })
    var bytes = [UInt8](repeating: 0, count: 16)
    let isIPv6 = text.contains(":")
    let code = unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes)
    self.init(code == 1 ? Array(bytes.prefix(isIPv6 ? 16 : 4)) : [])
  }

  private static func known(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    switch bytes.count {
    case 4: bytes[...]
    // RFC 4291 §2.5.5.2
    case 16 where bytes.starts(with: repeatElement(0, count: 10) + [0xff, 0xff]): bytes[12...]
    case 16: bytes[..<8]
    default: []
    }
  }
}
