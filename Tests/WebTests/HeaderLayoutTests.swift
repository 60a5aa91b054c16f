import Testing

@testable import SondeWeb

@Suite struct HeaderLayoutTests {
  /// What libmicrohttpd makes of a header: each `|` stands for a NUL that it wrote.
  private func covers(_ text: String, _ change: (inout HeaderLayout) -> Void = { _ in }) -> Bool {
    var layout = HeaderLayout(
      target: range(of: "/a?b", in: text),
      version: range(of: "HTTP/1.1", in: text)
    )
    for (name, value) in [("Host", "h"), ("X", ""), ("Content-Length", "5")] {
      let name = range(of: name, in: text)
      let start = range(of: "=\(value)", in: text, from: name.upperBound).lowerBound + 1
      layout.fields.append(.init(name: name, value: start..<start + value.utf8.count))
    }
    change(&layout)
    let bytes = text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 == UInt8(ascii: "=") ? 0x20 : $0 }
    return layout.covers(bytes.span)
  }

  private func range(of part: String, in text: String, from start: Int = 0) -> Range<Int> {
    let bytes = Array(text.utf8)
    let found = bytes[start...].firstRange(of: Array(part.utf8)) ?? 0..<0
    return found
  }

  private let whole = "GET|/a?b|HTTP/1.1||Host|=h||X|=||Content-Length|=5||||"

  @Test func `a header that is read as it came is whole`() { #expect(covers(whole)) }

  @Test(arguments: [
    // Behind a value, a name and the target; a line of its own; at the end.
    "GET|/a?b|HTTP/1.1||Host|=h||X|=||Content-Length|=5|0||||",
    "GET|/a?b|HTTP/1.1||Host|=h||X|=||Content-Length|=5|||||",
    "GET|/a?b|HTTP/1.1||Host|=h|more||X|=||Content-Length|=5||||",
    "GET|/a?b|HTTP/1.1||Host|=h||X|=|y||Content-Length|=5||||",
    "GET|/a?b|c|HTTP/1.1||Host|=h||X|=||Content-Length|=5||||",
    "GET|/a?b|HTTP/1.1|x||Host|=h||X|=||Content-Length|=5||||",
    "GET|/a?b|HTTP/1.1||Host|=h||X|=||Content-Length|=5||| Transfer-Encoding: chunked||",
    // Lines that end by LF alone.
    "GET|/a?b|HTTP/1.1||Host|=h|X|=||Content-Length|=5||||",
    "GET|/a?b|HTTP/1.1||Host|=h||X|=||Content-Length|=5|||",
    // Cut off.
    "GET|/a?b|HTTP/1.1||Host|=h||X|=||Content-Length|=5||",
    "GET|/a?b|HTTP/1.1||Host|=h||X|=||Content-Length|=5",
  ])
  func `one of which something is not reported is not`(text: String) { #expect(!covers(text)) }

  @Test func `texts that lie elsewhere, as of a folded line, are none of it`() {
    for place in [0..<0, 100..<120, 3..<5] {
      #expect(!covers(whole) { $0.fields[1] = .init(name: place, value: $0.fields[1].value) })
      #expect(!covers(whole) { $0.fields[1] = .init(name: $0.fields[1].name, value: place) })
    }
    #expect(!covers(whole) { $0.fields.removeLast() })
    #expect(!covers(whole) { $0.fields.swapAt(0, 2) })
    #expect(!covers(""))
  }
}
