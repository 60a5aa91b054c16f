import TestSupport

/// Texts that are addresses, or nearly so.
struct NearAddresses {
  var generator: SeededGenerator

  /// A text of an address in any of the forms people write, with up to three small changes.
  mutating func next() -> String {
    var text = Array(Bool.random(using: &generator) ? dotted() : groups())
    if Int.random(in: 0..<8, using: &generator) == 0 { text += zone() }
    for _ in 0..<Int.random(in: 0...3, using: &generator) { change(&text) }
    return String(text)
  }

  mutating func dotted() -> String {
    (0..<4).map { _ in octet() }.joined(separator: ".")
  }

  private mutating func octet() -> String {
    let most = [9, 99, 255, 255, 300].randomElement(using: &generator) ?? 255
    return "\(Int.random(in: 0...most, using: &generator))"
  }

  mutating func groups() -> String {
    var count = Bool.random(using: &generator) ? 8 : Int.random(in: 1...8, using: &generator)
    var tail: [String] = []
    if Int.random(in: 0..<4, using: &generator) == 0 {
      tail = [dotted()]
      count = max(0, count - 2)
    }
    var groups = (0..<count).map { _ in group() }
    if Int.random(in: 0..<6, using: &generator) == 0 { groups = ["0", "0", "0", "0", "0", "ffff"] }
    groups += tail
    if groups.count < 8, Int.random(in: 0..<8, using: &generator) != 0 {
      groups.insert("", at: Int.random(in: 0...groups.count, using: &generator))
      if groups.first == "" { groups.insert("", at: 0) }
      if groups.last == "" { groups.append("") }
    }
    return groups.joined(separator: ":")
  }

  private mutating func group() -> String {
    if Int.random(in: 0..<3, using: &generator) == 0 { return "0" }
    if Int.random(in: 0..<8, using: &generator) == 0 { return "fe80" }
    let number = UInt16.random(in: 0...(.max), using: &generator)
    let text = String(number, radix: 16, uppercase: Bool.random(using: &generator))
    return Int.random(in: 0..<6, using: &generator) == 0 ? "0" + text.prefix(3) : text
  }

  private mutating func zone() -> String {
    ["%eth0", "%1", "%", "%a%b", "%br-lan", "%é", "%25eth0"].randomElement(using: &generator) ?? ""
  }

  private mutating func change(_ text: inout [Character]) {
    let position = Int.random(in: 0...text.count, using: &generator)
    let letter = "0123456789abcdefABCDEFgx:::...%/ -+_\u{663}\u{ff18}".randomElement(
      using: &generator
    )
    guard let letter else { return }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: text.insert(letter, at: position)
    case 1 where position < text.count: text[position] = letter
    case 2 where position < text.count: text.remove(at: position)
    case 3 where position < text.count: text.insert(text[position], at: position)
    default: break
    }
  }
}
