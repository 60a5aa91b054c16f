import Testing

@testable import SondeAnnotate

/// Addresses in lines of JSON; thousands of lines are compared with Python's json in
/// Tests/Blackbox/test_annotate_json.py.
@Suite struct JSONLineReaderTests {
  /// What a line gains, as `pointer=address` with lists in brackets; `nil` where it passes unchanged.
  private func read(_ line: String, key: String = "sonde") -> [String]? {
    read(Array(line.utf8), key: key)
  }

  private func read(_ line: [UInt8], key: String = "sonde") -> [String]? {
    var reader = JSONLineReader()
    guard reader.read(line.span, unlessItHas: Array(key.utf8)) != nil else { return nil }
    return reader.mentions.map { mention in
      var pointer: [UInt8] = []
      reader.append(pointerOf: mention, in: line.span, to: &pointer)
      let members = mention.members.map { index -> String in
        let address = reader.members[index]
        let zone = reader.zone(of: index).map { String(decoding: $0, as: UTF8.self) }
        return (address.map { "\($0)" } ?? "null") + (zone.map { "%\($0)" } ?? "")
      }
      let list = members.joined(separator: ",")
      return String(decoding: pointer, as: UTF8.self)
        + (mention.isArray ? "=[\(list)]" : "=\(list)")
    }
  }

  @Test(arguments: [
    (#"{"ip":"8.8.8.8"}"#, [#""/ip"=8.8.8.8"#]),
    (#" { "ip" : "8.8.8.8" , "n" : [ ] } "#, [#""/ip"=8.8.8.8"#]),
    (#"{"a":{"b":[1,{"c":"[2001:db8::1]:443"}]}}"#, [#""/a/b/1/c"=2001:db8::1"#]),
    (#"{"xff":"8.8.8.8, unknown,-, 1.1.1.1:80"}"#, [#""/xff"=[8.8.8.8,null,null,1.1.1.1]"#]),
    (#"{"a/b":{"~":"8.8.8.8"},"":"1.1.1.1"}"#, [#""/a~1b/~0"=8.8.8.8"#, #""/"=1.1.1.1"#]),
    (#"{"a\/b\u007e\u00e9\"":"\u0038.8.8.\u0038"}"#, [#""/a~1b~0\u00e9\""=8.8.8.8"#]),
    (#"{"ip":"fe80::1%eth0"}"#, [#""/ip"=fe80::1%eth0"#]),
    (#"{"ip":"\u0066e80::1%eth0"}"#, [#""/ip"=fe80::1%eth0"#]),
    ("\u{feff}{\"ip\":\"8.8.8.8\"}\r\n", [#""/ip"=8.8.8.8"#]),
    (#"{"n":123456789012345678901234567890e999,"ip":"8.8.8.8"}"#, [#""/ip"=8.8.8.8"#]),
    (#"{"s":"\ud800","ip":"8.8.8.8"}"#, [#""/ip"=8.8.8.8"#]),
  ])
  func `strings that are addresses are found with their pointers`(line: String, found: [String]) {
    #expect(read(line) == found)
  }

  @Test(arguments: [
    (#"{"ip":"8.8.8.8","ip":"1.1.1.1"}"#, [#""/ip"=1.1.1.1"#]),
    (#"{"ip":"8.8.8.8","\u0069p":"x"}"#, nil),
    (#"{"a":{"ip":"8.8.8.8"},"a":{},"b":"1.1.1.1"}"#, [#""/b"=1.1.1.1"#]),
    (#"{"a":[{"i":"8.8.8.8"},{"i":"1.1.1.1"}]}"#, [#""/a/0/i"=8.8.8.8"#, #""/a/1/i"=1.1.1.1"#]),
    (#"{"\ud800":"8.8.8.8","\ud801":"1.1.1.1"}"#, [#""/\ud800"=8.8.8.8"#, #""/\ud801"=1.1.1.1"#]),
  ])
  func `of doubled names the last counts`(line: String, found: [String]?) {
    #expect(read(line) == found)
  }

  @Test func `many doubled names are found, too`() {
    let members = (0..<1000).map { #""k\#($0 % 500)":"8.8.\#($0 / 250).\#($0 % 250)""# }
    let found = read("{" + members.joined(separator: ",") + "}")
    #expect(found?.count == 500)
    #expect(found?.first == #""/k0"=8.8.2.0"#)
  }

  @Test(arguments: [
    "", "{", "}", "{}", "[]", #"["8.8.8.8"]"#, #""8.8.8.8""#, "8.8.8.8", #"{"ip":"x"}"#,
    #"{"ip":"8.8.8.8"}}"#, #"{"ip":"8.8.8.8"} x"#, #"{"ip":"8.8.8.8",}"#,
    #"{"ip":"8.8.8.8" "a":1}"#,
    #"{"ip":"8.8.8.8","a":}"#, #"{"ip":"8.8.8.8","a":01}"#, #"{"ip":"8.8.8.8","a":1.}"#,
    #"{"ip":"8.8.8.8","a":+1}"#, #"{"ip":"8.8.8.8","a":NaN}"#, #"{"ip":"8.8.8.8","a":tru}"#,
    #"{"ip":"8.8.8.8","a":"\x"}"#, #"{"ip":"8.8.8.8","a":"\u12g4"}"#, #"{"ip":"8.8.8.8","a":[1,]}"#,
    #"{"ip":"8.8.8.8","a":[}"#, #"{"ip":"8.8.8.8",1:2}"#, #"{'ip':'8.8.8.8'}"#, "{\"ip\":\"8.8.8.8",
    "{\"ip\":\"8.8.8.8\",\"a\":\"\u{1}\"}", "{\"ip\":\"8.8.8.8\",\"a\":\"\0\"}",
    #"{"ip":"8.8.8.8","sonde":null}"#, #"{"ip":"8.8.8.8","\u0073onde":null}"#,
    #"{"ip":"from 8.8.8.8"}"#, #"{"ip":"8.8.8.8,"}"#, #"{"ip":"unknown"}"#, #"{"ip":"-,unknown"}"#,
    #"{"8.8.8.8":1}"#,
  ])
  func `anything else passes unchanged`(line: String) {
    #expect(read(line) == nil)
  }

  @Test func `text that is not UTF-8 is no JSON`() {
    let (begin, end) = (Array(#"{"ip":"8.8.8.8","a":""#.utf8), Array("\"}".utf8))
    #expect(read(begin + end) != nil)
    #expect(read(begin + [0xff] + end) == nil)
    #expect(read(begin + [0xed, 0xa0, 0x80] + end) == nil)
  }

  @Test func `the key of another name does not count`() {
    #expect(read(#"{"ip":"8.8.8.8","sonde":1}"#, key: "geo") == [#""/ip"=8.8.8.8"#])
    #expect(read(#"{"a":{"sonde":1},"ip":"8.8.8.8"}"#) == [#""/ip"=8.8.8.8"#])
  }

  @Test func `a depth that is too great is no error`() {
    func nested(_ depth: Int) -> String {
      #"{"a":"# + String(repeating: "[", count: depth) + #""8.8.8.8""#
        + String(repeating: "]", count: depth) + "}"
    }
    #expect(read(nested(JSONLineReader.maximumDepth - 1))?.count == 1)
    #expect(read(nested(JSONLineReader.maximumDepth)) == nil)
    #expect(read(String(repeating: #"{"a":"#, count: 1_000_000)) == nil)
  }

  @Test func `pointers that are too long together pass unchanged`() {
    let name = String(repeating: "n", count: 1 << 20)
    let addresses = (0..<40).map { #""8.8.8.\#($0)""# }.joined(separator: ",")
    #expect(read(#"{"\#(name)":["8.8.8.8"]}"#)?.count == 1)
    #expect(read(#"{"\#(name)":[\#(addresses)]}"#) == nil)
  }
}
