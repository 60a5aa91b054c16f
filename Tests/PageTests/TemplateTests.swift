import Testing

@testable import SondePage

@Suite struct TemplateTests {
  @Test func `a template is cut at its places`() {
    let pieces = pieces(of: Array("<a>{{one}}b{{two}}".utf8))
    #expect(
      pieces == [
        .markup(Array("<a>".utf8)[...]), .place("one"), .markup(Array("b".utf8)[...]),
        .place("two"), .markup([]),
      ]
    )
  }

  @Test(arguments: ["", "plain", "open {{", "open {{ name", "closed }}"])
  func `a template without places stays as it is`(text: String) {
    #expect(pieces(of: Array(text.utf8)) == [.markup(Array(text.utf8)[...])])
  }
}
