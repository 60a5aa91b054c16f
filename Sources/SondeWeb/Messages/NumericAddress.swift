import Glibc

/// The numeric address of a peer; IPv4 is mapped into IPv6 (RFC 4291 §2.5.5.2).
struct NumericAddress: Hashable, Sendable {
  /// The sixteen bytes in two words.
  let high: UInt64, low: UInt64

  /// Parses an address like inet_pton(3).
  init?(_ text: some StringProtocol) {
    guard text.contains(":") || text.contains(".") else { return nil }
    let text = text.contains(":") ? String(text) : "::ffff:\(text)"
    var bytes = in6_addr()
    guard text.utf8.count <= 45, unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
    self.init(bytes)
  }

  init(_ bytes: in6_addr) {
    (high, low) = unsafe withUnsafeBytes(of: bytes) { bytes in
      unsafe (
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  init(_ bytes: in_addr) {
    (high, low) = (0, 0xffff_0000_0000 | UInt64(UInt32(bigEndian: bytes.s_addr)))
  }

  var bytes: in6_addr {
    var bytes = in6_addr()
    unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
      unsafe bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return bytes
  }

  var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

  /// `127.0.0.0/8`, `::1`.
  var isLoopback: Bool { isIPv4 ? low >> 24 & 0xff == 127 : high == 0 && low == 1 }
}

extension NumericAddress: CustomStringConvertible {
  /// The text as by inet_ntop(3); IPv4 without the mapping.
  var description: String {
    var bytes = bytes
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = unsafe inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
    let characters = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return String(decoding: isIPv4 ? characters.dropFirst(7) : characters[...], as: UTF8.self)
  }
}

/// A network of peers: `10.0.0.0/8`, `::1`.
public struct PeerNetwork: Hashable, Sendable {
  private let first: NumericAddress
  private let length: Int

  /// Parses an address, or an address, a slash and a prefix length; bits after the prefix are
  /// ignored.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = NumericAddress(parts[0]) else { return nil }
    let (bits, offset) = first.isIPv4 ? (32, 96) : (128, 0)
    if parts.count == 1 {
      length = 128
    } else {
      guard let length = Int(decimal: parts[1], in: 0...bits) else { return nil }
      self.length = length + offset
    }
    self.first = first
  }

  /// Whether its addresses are loopback addresses.
  public var isLoopback: Bool { first.isLoopback }

  func contains(_ address: NumericAddress) -> Bool {
    let highMask = length >= 64 ? UInt64.max : ~(UInt64.max >> UInt64(length))
    let lowMask = length >= 128 ? UInt64.max : ~(UInt64.max >> UInt64(max(length - 64, 0)))
    return (address.high ^ first.high) & highMask == 0 && (address.low ^ first.low) & lowMask == 0
  }
}
