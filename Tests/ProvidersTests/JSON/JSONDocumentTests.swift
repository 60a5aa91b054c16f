import SondeRecords
import Testing

@testable import SondeProviders

@Suite struct JSONDocumentTests {
  private func parse(_ text: String) throws(JSONError) -> JSONDocument {
    try JSONDocument(parsing: Array(text.utf8))
  }

  /// A document written out again, its object members in their order.
  private func plain(_ document: JSONDocument, _ value: JSONDocument.Value) -> String {
    switch value {
    case .null: return "null"
    case .bool(let flag): return "\(flag)"
    case .integer(let number): return "\(number)"
    case .double(let number): return "\(number)"
    case .string(let text): return "'\(document.string(text))'"
    case .array(let elements):
      var parts: [String] = []
      document.forEachElement(elements) { parts.append(plain(document, $0)) }
      return "[" + parts.joined(separator: ",") + "]"
    case .object(let members):
      var parts: [String] = []
      document.forEachMember(members) { key, value in
        parts.append("\(document.string(key)):\(plain(document, value))")
      }
      return "{" + parts.joined(separator: ",") + "}"
    }
  }

  @Test func `values keep their kinds and their order`() throws {
    let table = [
      ("null", "null"), (" true ", "true"), ("-0", "0"), ("1.0", "1.0"), ("1e3", "1000.0"),
      ("9223372036854775807", "9223372036854775807"),
      ("-9223372036854775808", "-9223372036854775808"),
      ("9223372036854775808", "9.223372036854776e+18"),
      (#""""#, "''"), ("[]", "[]"), ("{}", "{}"), ("[[],{},[{}]]", "[[],{},[{}]]"),
      (
        #"{"b":[1,{"c":[[2],3]},"x"],"a":{"d":{}},"e":4.5}"#,
        "{b:[1,{c:[[2],3]},'x'],a:{d:{}},e:4.5}"
      ),
    ]
    for (text, expected) in table {
      let document = try parse(text)
      #expect(plain(document, document.root) == expected)
    }
  }

  @Test func `escapes and control characters are taken out`() throws {
    let table = [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/ \n\r\t"), (#""\u00e9\u20AC""#, "é€"),
      (#""\ud83d\ude00""#, "😀"), (#""a\u0000b""#, "a b"),
    ]
    for (text, expected) in table {
      let document = try parse(text)
      #expect(document.root.text.map { document.string($0) } == expected)
    }
  }

  @Test(
    arguments: [
      "", " ", "{", "[1,", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "nul", "01", "1.", ".5", "+1",
      "1e",
      "NaN", "Infinity", "1e400", "[1] 2", "\"a", "\"\\x\"", "\"\u{1}\"", "\"\\u12\"",
      #""\ud83d""#, #""\ude00""#, #""\ud83d\ud83d""#, #""\ud83dx""#,
    ]
  )
  func `what is not JSON is an error`(text: String) {
    #expect(throws: JSONError.self) { try parse(text) }
  }

  @Test(arguments: [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]])
  func `what is not UTF-8 is an error`(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONDocument(parsing: [0x22] + bytes + [0x22]) }
  }

  @Test func `nesting is bounded`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try parse(nested(60)) }
    // Also in a document larger than the parser's first buffers.
    for depth in [70, 1000, 100_000] {
      #expect(throws: JSONError.self, "\(depth)") { try parse(nested(depth)) }
    }
  }

  @Test func `a parser is fit for use again after an error`() throws {
    for _ in 0..<20 {
      #expect(throws: JSONError.self) { try parse(#"{"key":"a long text that is cut o"#) }
      let document = try parse(#"{"a":"b"}"#)
      #expect(plain(document, document.root) == "{a:'b'}")
    }
  }

  @Test func `of two members of one name the first counts`() throws {
    let document = try parse(#"{"a":{"b":1},"b":2,"a":3,"b":4}"#)
    let members = try #require(document.root.members)
    #expect(document.value("a", in: members)?.members != nil)
    #expect(document.value("b", in: members)?.number == 2)
    #expect(document.value("c", in: members) == nil)
  }

  @Test func `a member is not looked for inside of others`() throws {
    let document = try parse(#"{"x":{"ip":"1","y":[{"ip":"2"}]},"z":[["ip","3"]],"ip":"4"}"#)
    let members = try #require(document.root.members)
    let text = try #require(document.value("ip", in: members)?.text)
    #expect(document.string(text) == "4")
  }

  @Test func `the words of an error are found in all their forms`() throws {
    let table: [(String, String?)] = [
      (#"{"message":"a"}"#, "a"), (#"{"error":"b"}"#, "b"),
      (#"{"error":{"title":"c","message":"d"}}"#, "c: d"), (#"{"error":{"title":"c"}}"#, "c"),
      (#"{"title":"x"}"#, nil), (#"{"error":{}}"#, nil), (#"{"error":{"title":1}}"#, nil),
      (#"{"error":5,"message":6}"#, nil), ("{}", nil),
    ]
    for (text, words) in table {
      let document = try parse(text)
      #expect(document.errorText(in: try #require(document.root.members)) == words)
    }
  }
}
