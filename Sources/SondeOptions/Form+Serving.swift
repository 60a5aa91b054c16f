import SondeAddresses
import SondeNames
import SondeRedis
import SondeWeb

extension Form where Value == Authority {
  /// An address of this machine and a port to listen on.
  static let listener = Form(
    placeholder: "ADDRESS:PORT",
    accepted: "an address of this machine and a port, such as 127.83.1.1:8053 or [::1]:8053"
  ) { text throws(ValueProblem) in
    guard let authority = Authority(text), authority.port != nil,
      Address(authority.host.filter { $0 != "[" && $0 != "]" }) != nil
    else { throw .malformed }
    return authority
  }
}

extension Form where Value == PublicURL {
  static let publicURL = Form(
    placeholder: "URL",
    accepted: "a URL with a host and at most a path, such as https://example.org/sonde/"
  ) { text throws(ValueProblem) in
    try wellFormed(PublicURL(text))
  }
}

extension Form where Value == [PeerNetwork] {
  static let networks = Form(
    placeholder: "CIDR,...",
    accepted: "addresses or blocks with commas between them, such as 127.0.0.1,10.0.0.0/8"
  ) { text throws(ValueProblem) in
    var networks: [PeerNetwork] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      networks.append(try wellFormed(PeerNetwork(String(trimmed(item)))))
    }
    return networks
  }
}

extension Form where Value == Int {
  /// A number of bytes; suffixes are powers of 1,024.
  static let size = Form(
    placeholder: "SIZE",
    accepted: "a number of bytes, also with KiB, MiB or GiB, such as 1GiB"
  ) { text throws(ValueProblem) in
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let shifts = ["": 0, "k": 10, "kib": 10, "m": 20, "mib": 20, "g": 30, "gib": 30]
    guard let shift = shifts[text[digits.endIndex...].lowercased()] else { throw .malformed }
    let number = try count(1...Int.max).read(String(digits))
    guard number <= Int.max >> shift else { throw .because("too large") }
    return number << shift
  }
}

extension Form where Value == ResolverPlace {
  /// A DNS server.
  static let resolver = Form(
    placeholder: "HOST[:PORT]",
    accepted: "an address, such as 192.0.2.1:53 or [2001:db8::1]:53, or localhost"
  ) { text throws(ValueProblem) in
    try wellFormed(ResolverPlace(text))
  }
}

extension Form where Value == RedisPlace {
  static let shared = Form(
    placeholder: "URL",
    accepted: RedisPlace.forms
  ) { text throws(ValueProblem) in
    do throws(RedisPlace.FormatError) {
      return try RedisPlace(text)
    } catch {
      throw .because(error.description)
    }
  }
}
