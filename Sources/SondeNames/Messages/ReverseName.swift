import SondeAddresses

extension Address {
  /// The reverse name of an address as a C string: `4.3.2.1.in-addr.arpa` (RFC 1035 §3.5), or 32
  /// hexadecimal digits before `ip6.arpa` (RFC 3596 §2.5).
  var reverseName: [CChar] { name(below: isIPv4 ? "in-addr.arpa" : "ip6.arpa") }

  /// The name of its route at Team Cymru (https://www.team-cymru.com/ip-asn-mapping).
  var originName: [CChar] {
    name(below: isIPv4 ? "origin.asn.cymru.com" : "origin6.asn.cymru.com")
  }

  /// Its octets or hexadecimal digits, the last ones first, below a domain.
  private func name(below domain: String) -> [CChar] {
    var text: [UInt8] = []
    text.reserveCapacity(80)
    if let number = ipv4 {
      for shift: UInt32 in [0, 8, 16, 24] {
        let octet = UInt8(truncatingIfNeeded: number >> shift)
        if octet >= 100 { text.append(0x30 + octet / 100) }
        if octet >= 10 { text.append(0x30 + octet / 10 % 10) }
        text.append(0x30 + octet % 10)
        text.append(UInt8(ascii: "."))
      }
    } else {
      for half in [low, high] {
        for shift in stride(from: UInt64(0), to: 64, by: 4) {
          let digit = UInt8(truncatingIfNeeded: half >> shift & 15)
          text.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
          text.append(UInt8(ascii: "."))
        }
      }
    }
    text.append(contentsOf: domain.utf8)
    return text.map { CChar(bitPattern: $0) } + [0]
  }
}
