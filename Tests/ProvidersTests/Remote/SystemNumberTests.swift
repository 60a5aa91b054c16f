import SondeRecords
import TestSupport
import Testing

@testable import SondeProviders

@Suite struct SystemNumberTests {
  @Test func `a number and a name are told apart`() throws {
    let table: [(String, UInt32, String)] = [
      ("AS15169 Google LLC", 15_169, "Google LLC"), ("AS15169", 15_169, ""), ("AS1 ", 1, ""),
      ("AS5769  Two Spaces", 5_769, "Two Spaces"), ("AS4294967295 Last", .max, "Last"),
      ("AS0 Reserved", 0, "Reserved"), ("", 0, ""),
      // Out of its range (RFC 6793): missing.
      ("AS4294967296 Past", 0, "Past"), ("AS99999999999999999999 Far", 0, "Far"),
      ("AS4294967296", 0, ""),
      // Of another form: all name.
      ("Google LLC", 0, "Google LLC"), ("as15169 x", 0, "as15169 x"), ("AS", 0, "AS"),
      ("AS Telecom", 0, "AS Telecom"), ("AS15169x Y", 0, "AS15169x Y"), ("AS-1 X", 0, "AS-1 X"),
      ("ASN15169", 0, "ASN15169"), ("15169", 0, "15169"), (" AS1 X", 0, " AS1 X"),
    ]
    for (text, number, name) in table {
      let document = try JSONDocument(parsing: Array("[\"\(text)\",\"behind\"]".utf8))
      let system = SystemNumber(try #require(document[1].text), in: document)
      #expect(system.number == number, "\(text)")
      #expect(document.string(system.name) == name, "\(text)")
    }
  }
}

@Suite struct AnswerMatcherTests {
  private func matcher(_ texts: [String]) throws -> AnswerMatcher {
    AnswerMatcher(addresses: texts.map(address), document: try JSONDocument(parsing: [0x31]))
  }

  @Test func `the place expected is tried first, then the address is looked for`() throws {
    var matcher = try matcher(["8.8.8.8", "1.1.1.1", "9.9.9.9"])
    #expect(matcher.place(of: address("8.8.8.8"), expected: 0) == 0)
    #expect(matcher.place(of: address("9.9.9.9"), expected: 0) == 2)
    #expect(matcher.place(of: address("1.1.1.1"), expected: 99) == 1)
    #expect(matcher.place(of: address("1.1.1.1"), expected: -1) == 1)
    #expect(matcher.place(of: address("4.4.4.4"), expected: 1) == nil)
  }

  @Test func `a place is given once`() throws {
    var matcher = try matcher(["8.8.8.8", "1.1.1.1"])
    matcher.settle(0) { $0.status = .ok }
    #expect(matcher.place(of: address("8.8.8.8"), expected: 0) == nil)
    #expect(matcher.place(of: address("8.8.8.8"), expected: 1) == nil)
    let answers = matcher.finish()
    #expect(answers.missing == [1])
    #expect(answers.block.records.map(\.status) == [.ok, .failed])
  }

  @Test func `an address asked twice is answered twice in order`() throws {
    var matcher = try matcher(["8.8.8.8", "8.8.8.8"])
    for position in 0...1 {
      let place = matcher.place(of: address("8.8.8.8"), expected: position)
      #expect(place == position)
      matcher.settle(try #require(place)) { $0.status = .ok }
    }
    #expect(matcher.finish().missing == [])
  }

  @Test func `a random answer settles what it names and nothing else`() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<300 {
      let asked = Array((1...9).map { "8.8.8.\($0)" }.shuffled(using: &generator).prefix(6))
      let named = (0..<8).map { _ in "8.8.8.\(Int.random(in: 1...12, using: &generator))" }
      var matcher = try matcher(asked)
      for (position, name) in named.enumerated() {
        guard let place = matcher.place(of: address(name), expected: position) else { continue }
        matcher.settle(place) { $0.asn = UInt32(position + 1) }
      }
      let answers = matcher.finish()
      let first = asked.map { ask in UInt32((named.firstIndex(of: ask) ?? -1) + 1) }
      #expect(answers.block.records.map(\.asn) == first)
      #expect(answers.missing == first.indices.filter { first[$0] == 0 })
    }
  }
}
