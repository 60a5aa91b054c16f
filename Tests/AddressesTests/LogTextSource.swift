import TestSupport

/// Texts in which every rule of the search has its say, now and then.
struct LogTextSource {
  private static let alphabets = [
    "1a:.%/ ", "0123.:", "::::f1 ", "fF:.1", "1.2:x/'\"", "19.:/_-\n", "av:1./r", "0123456789. ",
    "0a1b:", "x é\u{0}/.:5", "\n ", "GET /index.html?a=1&b=2;",
  ].map { Array($0.utf8) }

  private var generator: SeededGenerator
  private var addresses: NearAddresses

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    addresses = NearAddresses(generator: SeededGenerator(seed: seed &+ 1))
  }

  mutating func next() -> [UInt8] {
    if Int.random(in: 0..<3, using: &generator) > 0 { return fragments(upTo: 14) }
    let most = Bool.random(using: &generator) ? 6 : 40
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      text += junk(0...most)
      if Int.random(in: 0..<4, using: &generator) == 0 {
        text += (LogSearchCases.all.randomElement(using: &generator)?.line ?? "").utf8
      } else {
        text += addresses.next().utf8
      }
      text += junk(0...most)
    }
    return text
  }

  /// Pieces that the rules know, one after the other, and now and then a byte too much or too few.
  mutating func fragments(upTo most: Int) -> [UInt8] {
    let isFar = Int.random(in: 0..<4, using: &generator) == 0
    var text = [UInt8](
      repeating: 0x20,
      count: isFar ? Int.random(in: 0..<70, using: &generator) : 0
    )
    for _ in 0..<Int.random(in: 1...most, using: &generator) {
      var fragment = Self.fragments.randomElement(using: &generator) ?? []
      let position = Int.random(in: 0..<fragment.count, using: &generator)
      switch Int.random(in: 0..<24, using: &generator) {
      case 0: fragment.remove(at: position)
      case 1: fragment.insert(fragment[position], at: position)
      default: break
      }
      text += fragment
    }
    return text
  }

  private static let fragments = [
    "8.8.8.8", "1.2.3.4", "25.100.0.255", "0.0.0.0", "2001:db8::1", "fe80::1%eth0", "fe80::1",
    "::1",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "fd00:1:2:3:4:5:6:7", "2001:db8:0:0:1:2:3:4", "0:0:",
    "64:",
    "100::", "100:0:", "5f00:", "dead:beef:", "::", ":::", ":", ":", ".", ".", "-", "+", "~", "/",
    "%",
    "\\", "\\\\", "\\n", "\\t", "\\\"", "\\/", "\\b", "\\f", "\\u0022", "\\u001b[32m", "\\u0041",
    "\\u00e9", "\\u0009", "\\x22", "\\x41", "\\x2e", "%20", "%2F", "%3A", "%22", "%09", "%0a",
    "%41", "%2E",
    "%2B", "%2D", "#033", "#011", "#033[0m", "#", "\u{1b}[31m", "\u{1b}[K", "\u{1b}[38:5",
    "\u{1b}[", "m", "K",
    "12", "12:", "10:05:03:", "aa:bb:cc:dd:ee:ff:", "00:00:", "rv:", "x", "ip6:", "IPv6:", "std::",
    "n",
    "Mozilla/5.0 ", "Mozilla/", "Mozilla\\/", "\"", "\"App/1", "\"App/", "(", ")", "Chrome/",
    "Edg/", "/x/", " Edg/120.0.0.0 ", "+Edg/120.0.0.0+", "%20Edg/120.0.0.0%20",
    "Chrome", "HeadlessChrome/", "Edge/", " Opera/1.2.3.4", "+EdgiOS/1.2.3.4", "%20CriOS/9.9.9.9",
    " Electronic/1.2.3.4 ", "x-Chrome/", "\\u0043hromium/", "Brave\\/", " Gecko/1.2.3.4 ",
    "HIER_DIRECT/", "text/html", " C/1", " ", " ", "\t", "\n", "443", ".443", ".https", " > ",
    ".5:", ".443 > ",
    "10.0.0.1.443 > ", "10.0.0.2.5: ", "fe80::1.546 > ", "ff02::1:2.547:", "_", "é", "a", "g", "0",
    "1", "ff",
    "2500:", "2500:2001:", "-generic", "-5ubuntu1", "-5", "1:2:3:4", "2001:", "db8:", "ffff:",
    "+dfsg", "(5",
    ":80", "/24", "u0022", "x22", "2F", "\\u00", "\\x", "%2",
  ].map { Array($0.utf8) }

  private mutating func junk(_ counts: ClosedRange<Int>) -> [UInt8] {
    let alphabet = Self.alphabets.randomElement(using: &generator) ?? []
    return (0..<Int.random(in: counts, using: &generator)).map { _ in
      alphabet.randomElement(using: &generator) ?? 0x2e
    }
  }
}
