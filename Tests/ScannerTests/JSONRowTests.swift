import Testing

@testable import SondeInputs

@Suite struct JSONRowTests {
  private func members(_ text: String) -> [String]? {
    let bytes = Array(text.utf8)
    var row = JSONRow()
    guard row.read(bytes.span, from: 0) == .whole, row.end == bytes.count else { return nil }
    return row.members.map {
      String(decoding: bytes[$0.name], as: UTF8.self) + "="
        + String(decoding: bytes[$0.value], as: UTF8.self)
    }
  }

  private func outcome(_ text: String) -> JSONRow.Outcome {
    var row = JSONRow()
    return row.read(Array(text.utf8).span, from: 0)
  }

  @Test func `members are found with the bytes of their values`() {
    #expect(members("{}") == [])
    #expect(members(#"{"a":1,"b":"x"}"#) == ["a=1", #"b="x""#])
    #expect(
      members("{ \"a\" : [1, {\"b\": \"]}\"}] ,\n\"c\\\"\":-1.5e+3,\"d\":null }")
        == ["a=[1, {\"b\": \"]}\"}]", "c\\\"=-1.5e+3", "d=null"]
    )
    #expect(members(#"{"a":"\\","b":"\""}"#) == [#"a="\\""#, #"b="\"""#])
  }

  @Test func `every beginning of an object wants more`() {
    let whole = Array(#"{"a":[1,{"b":"\"]"}],"c":null}"#.utf8)
    for count in whole.indices {
      var row = JSONRow()
      #expect(row.read(whole.span.extracting(0..<count), from: 0) == .more, "\(count)")
    }
  }

  @Test(arguments: [
    "[", "{a:1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1;}", "{\"a\":\"x\ny\"}",
    "{\"a\":1 2}", "{,}", "{\"a\" 1}", "{\"a\":\u{1}}",
  ])
  func `what is no object is malformed`(text: String) {
    #expect(outcome(text) == .malformed)
  }
}
