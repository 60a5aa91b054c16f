import SondeRecords
import TestSupport
import Testing

@testable import SondeProviders

@Suite struct JSONKeyTests {
  /// A key of a document, with other bytes in front and behind.
  private func key(_ name: [UInt8], behind: [UInt8]) -> JSONKey {
    let padding = [UInt8](repeating: 0, count: JSONKey.padding)
    let text = TextRange(offset: 3, count: UInt32(name.count))
    let bytes = [1, 2, 3] + name + behind + padding
    return JSONKey(text, in: unsafe bytes.span.bytes)
  }

  @Test func `keys are equal as their names are, if one of them can be ours`() {
    var generator = SeededGenerator(seed: 7)
    // Few letters and a zero, so that many names are equal or nearly so.
    let letters: [UInt8] = [0x61, 0x62, 0]
    func name(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in letters.randomElement(using: &generator) ?? 0 }
    }
    var wrong: [String] = []
    for _ in 0..<40_000 {
      let left = name(Int.random(in: 0...JSONKey.longestName, using: &generator))
      var right = name(Int.random(in: 0...20, using: &generator))
      if Bool.random(using: &generator) { right = left + right.prefix(right.count / 8) }
      let behind = name(20)
      let areEqual = key(left, behind: name(20)) == key(right, behind: behind)
      if areEqual != (left == right) { wrong.append("\(left) \(right)") }
    }
    #expect(wrong == [])
  }

  @Test func `names of ours are found in documents`() {
    let table: [(StaticString, String)] = [
      ("", ""), ("a", "a"), ("as", "as"), ("country", "country"), ("timezone", "timezone"),
      ("countryCode", "countryCode"), ("continent_code", "continent_code"),
    ]
    for (ours, text) in table {
      #expect(JSONKey(ours) == key(Array(text.utf8), behind: Array("xyz".utf8)))
      #expect(JSONKey(ours) != key(Array((text + "s").utf8), behind: []))
      #expect(JSONKey(ours) != key(Array((text + "\0").utf8), behind: []))
    }
  }
}
