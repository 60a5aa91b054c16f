import SondeAddresses
import TestSupport

/// IPv4 addresses in no order, each once, none of them special-purpose.
struct DistinctAddresses: Sequence, IteratorProtocol {
  private var counter: UInt32

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    counter = generator.next()
  }

  mutating func next() -> Address? {
    while true {
      counter &+= 1
      // An odd factor permutes the numbers of 32 bits.
      let address = Address(ipv4: counter &* 2_654_435_761)
      if address.specialPurpose == nil { return address }
    }
  }
}

/// A log in the combined format, and how many addresses there are in it.
struct LogLines {
  private(set) var ipv4 = 0
  private(set) var ipv6 = 0

  private var generator: SeededGenerator
  private let clients: [Address]
  private let rests: [[UInt8]]

  /// Picks the clients that come again and again.
  ///
  /// - Parameters:
  ///   - seed: What all is made from.
  ///   - count: How many there are.
  ///   - share: One in so many has an IPv6 address; none for `nil`.
  ///   - versions: Whether every line holds a version that looks like an address.
  init(seed: UInt64, clients count: Int, ipv6 share: Int?, versions: Bool = false) {
    var generator = SeededGenerator(seed: seed)
    var addresses = DistinctAddresses(seed: seed)
    clients = (0..<count).compactMap { index in
      guard let share, index.isMultiple(of: share) else { return addresses.next() }
      return Address(high: 0x2a00_1450 << 32 | generator.next() >> 32, low: generator.next())
    }
    self.generator = generator
    rests = versions ? [Self.version] : Self.rests
  }

  /// Appends a line of a client picked at random.
  mutating func append(to output: inout [UInt8]) {
    let client = clients[Int(generator.next() % UInt64(clients.count))]
    if client.isIPv4 { ipv4 += 1 } else { ipv6 += 1 }
    client.append(to: &output)
    output += rests[Int(generator.next() % UInt64(rests.count))]
  }

  /// What may follow the client.
  private static let rests: [[UInt8]] = [
    #"GET /wp-login.php HTTP/1.1" 404 162 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:121.0)"#,
    #"POST /api/v2/items?page=12 HTTP/2.0" 200 5316 "https://shop.example/" "curl/7.88.1"#,
    #"GET /assets/app.3f2a91.js HTTP/1.1" 304 0 "https://example.org/a/b" "Mozilla/5.0 "#
      + "(Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
      + "Chrome/126.0.6478.127 Safari/537.36",
    #"GET / HTTP/1.1" 200 612 "-" "Mozilla/5.0 (compatible; bot/2.1; +http://bot.example)"#,
  ].map(line)

  private static let version = line(
    of: #"GET / HTTP/1.1" 200 612 "-" "Mozilla/5.0 (Windows NT 10.0; Win64; x64) "#
      + "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
  )

  private static func line(of request: String) -> [UInt8] {
    Array(#" - - [20/Nov/2026:18:55:36 +0000] "\#(request)"\#n"#.utf8)
  }
}
