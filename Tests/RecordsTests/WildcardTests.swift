import SondeAddresses
import SondeSystem
import TestSupport
import Testing

@testable import SondeRecords

/// Patterns with `*`, and the results of conditions of many comparisons.
@Suite struct WildcardTests {
  /// What a pattern means: tried at every place.
  private func matches(_ text: Substring, _ pattern: Substring) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      let rest = pattern.dropFirst()
      return matches(text, rest) || !text.isEmpty && matches(text.dropFirst(), pattern)
    }
    return text.first == first && matches(text.dropFirst(), pattern.dropFirst())
  }

  @Test func `a pattern matches like a search from every position`() {
    var random = SeededGenerator(seed: 20_261_129)
    var count = 0
    for _ in 0..<20_000 {
      let letters = Array("aAbB*\u{e9}\u{c9}")
      let pick = { (most: Int, all: ArraySlice<Character>) in
        String(
          (0..<Int.random(in: 0...most, using: &random)).map { _ in
            all.randomElement(using: &random) ?? "a"
          }
        )
      }
      let pattern = pick(6, letters[...])
      let isPlain = pattern.count % 2 == 0
      let text = pick(24, isPlain ? letters[..<4] : letters.filter { $0 != "*" }[...])
      let expected = matches(text.lowercased()[...], pattern.lowercased()[...])
      #expect(Wildcard(pattern).matches(Array(text.utf8).span) == expected, "\(pattern) \(text)")
      count += expected ? 1 : 0
    }
    #expect(count > 1000)
  }

  @Test(arguments: [
    ("*failed password*", "Nov 23 gate sshd[1]: FAILED Password for root", true),
    ("*failed password*", "Nov 23 gate sshd[1]: FFailedF Failed passworD", true),
    ("*failed password*", "failed failed failed passwor", false),
    ("a*a", "a", false), ("a*a", "aa", true), ("*", "", true), ("", "", true), ("", "a", false),
    ("*\u{212a}*", "a K b", true), ("*k*", "a \u{212a} b", true),
  ])
  func `case does not matter`(pattern: String, text: String, isMatch: Bool) {
    #expect(Wildcard(pattern).matches(Array(text.utf8).span) == isMatch)
  }

  @Test func `each of many comparisons keeps its own result`() throws {
    let networks = { (name: String) throws(FilterFileError) -> any NetworkSet in
      throw FilterFileError(name)
    }
    let parts = (0..<40).map { "asn != \($0)" }.joined(separator: " and ")
    let filter = try Filter("(\(parts)) and line != 3", networks: networks)
    for number in 0..<42 as Range<UInt32> {
      var record = Record(address: Address(ipv4: 0x0808_0808), status: .ok)
      record.asn = number
      let none: [UInt8] = []
      let answer = filter.findings(ofAnswer: record, bytes: none.span)
      #expect(answer.verdicts.count == 40)
      for line in [2, 3] as [UInt64] {
        record.place.line = line
        // Number 0 is none, which is not compared.
        let isLet = number >= 40 && line == 2
        #expect(filter.excludes(answer, at: filter.findings(ofPlace: record)) != isLet)
      }
      #expect((answer == FilterFindings(verdicts: answer.verdicts)))
      #expect(number == 1 || answer.verdicts[1] == (number == 0 ? .no : .yes))
    }
  }
}
