import Testing

@testable import SondeWeb

@Suite struct CookieTests {
  private let cookie = SessionCookie(name: "sonde_8053")

  @Test func `the token of the name is found, and none of two`() {
    #expect(cookie.token(in: ["sonde_8053=abc"]) == "abc")
    #expect(cookie.token(in: ["a=1;sonde_8053 = abc ; b=2"]) == "abc")
    #expect(cookie.token(in: ["a=1", "sonde_8053=x; sonde_8053=y"]) == nil)
    #expect(cookie.token(in: ["sonde_8053=x", "sonde_8053=x"]) == nil)
    #expect(cookie.token(in: ["sonde_8053=; sonde_8053=x"]) == nil)
    #expect(cookie.token(in: ["sonde_8053=a=b"]) == "a=b")
    #expect(
      cookie.token(in: ["sonde_80530=abc; xsonde_8053=abc; SONDE_8053=abc; sonde_8053"]) == nil
    )
    #expect(cookie.token(in: []) == nil)
  }

  @Test func `a cookie is set for scripts to leave alone, and under TLS for TLS alone`() throws {
    #expect(
      cookie.setting("abc", for: .seconds(60))
        == "sonde_8053=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Strict"
    )
    let secure = SessionCookie(
      name: "__Secure-sonde",
      publicURL: PublicURL("https://example.org/sub")
    )
    #expect(
      secure.clearing
        == "__Secure-sonde=; Max-Age=0; Path=/sub/; HttpOnly; SameSite=Strict; Secure"
    )
  }
}

@Suite struct NegotiationTests {
  @Test(arguments: [
    ("gzip", true), ("br, GZIP;q=0.5", true), ("*", true), ("x-gzip", true), ("gzip;q=0", false),
    ("*, gzip;q=0", false), ("", false), ("identity", false), ("gzip;q=x", false),
    ("gzipped", false),
  ])
  func `gzip is sent where it is accepted`(field: String, isAccepted: Bool) {
    #expect(AcceptedEncodings([field]).hasGzip == isAccepted)
  }

  @Test func `a version that the client has is known`() {
    #expect(EntityTags([#""a", W/"b""#, "\"c\""]).contains("\"b\""))
    #expect(EntityTags(["*"]).contains("\"x\""))
    #expect(!EntityTags(["\"a\""]).contains("\"b\""))
    #expect(!EntityTags([]).contains("\"b\""))
  }
}

@Suite struct FramingTests {
  private func framing(_ fields: (String, String)...) -> Framing? {
    var headers = HeaderFields()
    for (name, value) in fields { headers.append(name, value) }
    return try? Framing(headers)
  }

  @Test func `the end of a body is certain`() {
    #expect(framing()?.length == 0)
    #expect(framing(("Content-Length", "12"))?.length == 12)
    #expect(framing(("transfer-encoding", "Chunked")) == Framing(length: nil))
    #expect(framing(("Content-Length", "12"), ("Content-Length", "12")) == nil)
    #expect(framing(("Content-Length", "12"), ("Transfer-Encoding", "chunked")) == nil)
    #expect(framing(("Transfer-Encoding", "gzip, chunked")) == nil)
    #expect(framing(("Transfer-Encoding", "identity")) == nil)
    #expect(framing(("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")) == nil)
    for length in ["", "-1", "+1", "1x", "0x10", "1, 1", "99999999999999999999"] {
      #expect(framing(("Content-Length", length)) == nil, "\(length)")
    }
    for codings in ["chunked, chunked", "chunked,", ",chunked", "identity, chunked", "chunked;q=1"]
    {
      #expect(framing(("Transfer-Encoding", codings)) == nil, "\(codings)")
    }
  }

  @Test func `no name and no value has a control character`() {
    for code in [0, 1, 8, 10, 11, 12, 13, 27, 31, 127] as [UInt8] {
      let character = Character(UnicodeScalar(code))
      for name in ["Content-Length", "Transfer-Encoding", "X-Other"] {
        #expect(framing((name, "1\(character)")) == nil, "\(name) \(code)")
        #expect(framing(("\(name)\(character)", "1")) == nil, "\(name) \(code)")
      }
    }
    #expect(framing(("X-Other", "a\tb \u{e4}"))?.length == 0)
    for name in ["", "X Other", "X-Oth\u{e4}r", "X:", "(X)"] {
      #expect(framing((name, "1")) == nil, "\(name)")
    }
  }

  @Test func `chunks are of HTTP 1.1`() throws {
    var head = RequestHead(target: "/", peer: try #require(NumericAddress("192.0.2.1")))
    head.headers.append("Transfer-Encoding", "chunked")
    #expect(try Framing(head) == Framing(length: nil))
    head.isOld = true
    #expect(throws: Problem.self) { try Framing(head) }
    head.headers["Transfer-Encoding"] = nil
    #expect(try Framing(head).length == 0)
    head.isWhole = false
    #expect(throws: Problem.self) { try Framing(head) }
  }

  @Test func `names differ in case alone`() {
    var headers = HeaderFields()
    headers.append("X-One", "1")
    headers.append("x-one", "2")
    #expect(headers["X-ONE"] == "1" && headers.values(of: "x-One") == ["1", "2"])
    headers["x-ONE"] = "3"
    #expect(headers.values(of: "X-One") == ["3"])
    #expect(headers["X-Onä"] == nil)
  }
}

@Suite struct ResponseTests {
  @Test func `a download's name is never a path`() {
    let response = Response.text("").saved(as: "../a b\"\r\nX: y/ä.csv")
    #expect(
      response.headers["Content-Disposition"] == #"attachment; filename=".._a_b___X__y__.csv""#
    )
  }
}
