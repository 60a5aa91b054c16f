import Glibc

/// The address of a client, as far as clients can be distinguished.
///
/// An IPv6 address is reduced to its /64, since a household receives that many addresses (RFC 6177,
/// BCP 157).
public struct ClientAddress: Hashable, Sendable {
  private let bits: UInt64
  /// The length, which distinguishes IPv4, IPv6 and everything else.
  private let length: Int

  /// Creates an address from bytes in network order: 4 for IPv4, 16 for IPv6.
  ///
  /// `::ffff:a.b.c.d` counts as IPv4. All other lengths, for example from local sockets, count as
  /// one client.
  public init(_ bytes: [UInt8]) {
    let known = Self.known(of: bytes)
    bits = known.reduce(0) { $0 << 8 | UInt64($1) }
    length = known.count
  }

  private init(bits: UInt64, length: Int) { (self.bits, self.length) = (bits, length) }

  /// The network around the address: the /24 for IPv4, the /48 for IPv6, which is assigned to a
  /// site (RFC 6177).
  var network: ClientAddress { ClientAddress(bits: bits >> (length == 4 ? 8 : 16), length: length) }

  /// Parses an address and ignores its zone; invalid text counts as no bytes.
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
