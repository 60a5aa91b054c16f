import Testing

@testable import SondeWeb

@Suite struct JSONTests {
  private func value(_ text: String) throws -> JSON { try JSONReader.value(of: Array(text.utf8)) }

  private static let values: [(String, JSON)] = [
    ("null", JSON.null), (" true ", true), ("0", 0), ("-12", -12),
    ("9223372036854775807", .integer(.max)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.5", 1.5),
    ("1e2", .number(100)),
    ("-0.5E-1", .number(-0.05)), (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"),
    (#""\u00e4ä\ud83d\ude00""#, "ää😀"), ("[]", []), ("[1,[2]]", [1, [2]]), ("{}", [:]),
    (#"{"a":1,"b":{"c":[null]}}"#, ["a": 1, "b": ["c": [nil]]]),
  ]

  @Test(arguments: values)
  func `a value is read`(text: String, expected: JSON) throws {
    #expect(try value(text) == expected)
  }

  @Test func `a number keeps its digits where they are wanted`() throws {
    let text = #"{"a":[0.10,1E+2,-7,9223372036854775808]}"#
    let read = try JSON(parsing: Array(text.utf8))
    #expect(read["a"]?.elements?.map(\.digits) == ["0.10", "1E+2", "-7", "9223372036854775808"])
    #expect(read.bytes == Array(text.utf8))
  }

  @Test(arguments: [
    "", " ", "nul", "tru", "01", "+1", "1.", ".5", "1e", "--1", "1e999", "'a'", #""a"#, #""\x""#,
    #""\u12""#, #""\ud800""#, #""\ude00""#, #""\ud800\u0041""#, "\"\u{1}\"", "[1,]", "[1 2]", "[",
    "]",
    "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a":1 "b":2}"#, #"{"a":1,"a":2}"#,
    #"{"a":1,"\u0061":2}"#, "1 2", "{}x", "NaN", "\u{feff}{}",
  ])
  func `anything else is malformed`(text: String) {
    #expect { try value(text) } throws: { ($0 as? Problem)?.status == 400 }
  }

  @Test func `what is not UTF-8 is malformed`() {
    for bytes in [[0x22, 0xff, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]] as [[UInt8]] {
      #expect { try JSONReader.value(of: bytes) } throws: { ($0 as? Problem)?.status == 400 }
    }
  }

  @Test func `nesting is bounded`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try value(nested(JSONReader.deepest))
    for depth in [JSONReader.deepest + 1, 60_000] {
      #expect { try value(nested(depth)) } throws: { ($0 as? Problem)?.status == 400 }
    }
  }

  @Test func `a text is the same when it is written and read again`() throws {
    let text = String(String.UnicodeScalarView((0...0x2fff).compactMap(Unicode.Scalar.init))) + "😀"
    let value: JSON = [
      "text": .string(text), "numbers": [1, -1.5, 1e300, .number(.nan)], "no": nil,
    ]
    let read = try JSONReader.value(of: value.bytes)
    #expect(read == ["text": .string(text), "numbers": [1, -1.5, 1e300, nil], "no": nil])
  }

  @Test func `members are known, and have their types`() throws {
    let members = try JSONMembers(
      value(#"{"text":"a","flag":true,"count":3,"none":null}"#),
      known: ["text", "flag", "count", "none", "absent"]
    )
    #expect(try members.string("text") == "a")
    #expect(try members.optionalBoolean("flag") == true)
    #expect(try members.optionalInteger("count") == 3)
    #expect(try members.optionalString("none") == nil && !members.has("none"))
    #expect(try members.optionalString("absent") == nil)
    for attempt in ["count", "none", "absent"] {
      #expect { try members.string(attempt) } throws: { ($0 as? Problem)?.status == 422 }
    }
    #expect { try members.optionalInteger("text") } throws: { ($0 as? Problem)?.status == 422 }
    #expect { try members.optionalBoolean("count") } throws: { ($0 as? Problem)?.status == 422 }
  }
}
