import Testing

@testable import SondePage

@Suite struct PageTextTests {
  @Test(arguments: [
    ("AT&T <b>", "AT&amp;T &lt;b&gt;"), (#"" onload="x' "#, "&quot; onload=&quot;x&#39; "),
    ("a\u{202e}b\u{2028}", "a\\u{202e}b\\u{2028}"), ("Zürich 東京", "Zürich 東京"), ("\n", "\\n"),
  ])
  func `a text is no markup`(text: String, markup: String) {
    var page: [UInt8] = []
    appendMarkupText(text, to: &page)
    #expect(String(decoding: page, as: UTF8.self) == markup)
  }

  @Test(arguments: [
    ("</script><!--", #""\u003c/script>\u003c!--""#), (#"a"b\c"#, #""a\"b\\c""#),
    ("a\u{202e}b\u{2028}", #""a\\u{202e}b\\u{2028}""#), ("\u{7f}", #""\\x7f""#),
  ])
  func `a text ends neither its string nor its script`(text: String, quoted: String) {
    var json = ScriptJSON()
    json.append(text: text)
    #expect(String(decoding: json.bytes, as: UTF8.self) == quoted)
  }
}
