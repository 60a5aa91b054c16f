import Testing

@testable import SondeWeb

@Suite struct TargetTests {
  private func path(_ text: String, base: String = "/") -> Result<[String], Target.Flaw> {
    Result { () throws(Target.Flaw) in try Target(text, basePath: base).path }
  }

  @Test(arguments: [
    ("/", [""]), ("/scans", ["scans"]), ("/scans/", ["scans", ""]), ("//scans", ["", "scans"]),
    ("/lookups/2001:db8::1", ["lookups", "2001:db8::1"]), ("/a%20b", ["a b"]),
    ("/%32001%3Adb8%3a%3A1", ["2001:db8::1"]), ("/8.8.8.8?x=/../y", ["8.8.8.8"]),
    // Decoded once; a slash within a segment stays in it.
    ("/%252e%252e/x", ["%2e%2e", "x"]), ("/a%2Fb", ["a/b"]), ("/...", ["..."]),
  ])
  func `a path is split, then decoded once`(text: String, expected: [String]) {
    #expect(path(text) == .success(expected))
  }

  @Test(arguments: [
    "", "scans", "*", "http://127.0.0.1/scans", "/..", "/../etc/passwd", "/x/../api", "/x/./y",
    "/%2e%2e/api", "/%2E%2e/api", "/.%2e/api", "/x/%2e", "/%", "/%4", "/%zz", "/%00", "/a%0d%0ab",
    "/%ff", "/%c0%ae%c0%ae/api", "/%7f",
  ])
  func `a path that can be read in two ways is refused`(text: String) {
    #expect(path(text) == .failure(.malformed))
  }

  @Test func `only what lies below the base path is here`() {
    #expect(path("/sub/scans", base: "/sub/") == .success(["scans"]))
    #expect(path("/sub/", base: "/sub/") == .success([""]))
    #expect(path("/%73ub/scans", base: "/sub/") == .success(["scans"]))
    #expect(path("/sub", base: "/sub/") == .failure(.missingSlash))
    #expect(path("/subway/scans", base: "/sub/") == .failure(.elsewhere))
    #expect(path("/", base: "/sub/") == .failure(.elsewhere))
    #expect(path("/scans", base: "/a/b/") == .failure(.elsewhere))
    #expect(path("/a", base: "/a/b/") == .failure(.elsewhere))
  }
}

@Suite struct RoutesTests {
  private func routes(_ paths: String...) -> Routes<Never> {
    var routes = Routes<Never>()
    for path in paths { routes.on(.get, path) { _ in .empty } }
    return routes
  }

  private func found(_ routes: Routes<Never>, _ path: String) -> String? {
    routes.route(of: path.split(separator: "/").map(String.init))?.route.pattern.description
  }

  @Test(arguments: [["/{a}", "/stats"], ["/stats", "/{a}"]])
  func `a literal comes before a parameter, however they were added`(paths: [String]) {
    let routes = routes(paths[0], paths[1])
    #expect(found(routes, "/stats") == "/stats")
    #expect(found(routes, "/other") == "/{a}")
    #expect(found(routes, "/other/more") == nil)
  }

  @Test func `parameters have their texts, and none is empty`() {
    let routes = routes("/scans/{id}/{what}")
    #expect(routes.route(of: ["scans", "7", "x"])?.parameters == ["id": "7", "what": "x"])
    #expect(routes.route(of: ["scans", "", "x"]) == nil)
  }

  @Test func `what is allowed names HEAD beside GET`() {
    var routes = Routes<Never>()
    routes.on(.post, "/a") { _ in .empty }
    routes.on(.delete, "/a") { _ in .empty }
    #expect(routes.route(of: ["a"])?.route.allowed == [.post, .delete, .options])
    routes.on(.get, "/a") { _ in .empty }
    #expect(routes.route(of: ["a"])?.route.allowed == [.get, .head, .post, .delete, .options])
  }
}

@Suite struct QueryTests {
  @Test func `names and values are decoded once`() throws {
    let query = try Query("ip=8.8.8.8&name=a+b%2Bc%2525&empty=&bare")
    #expect(query["ip"] == "8.8.8.8")
    #expect(query["name"] == "a b+c%25")
    #expect(query["empty"] == "" && query["bare"] == "")
    #expect(query["absent"] == nil)
  }

  @Test(arguments: ["a=1&a=2", "a=%", "a=%f", "%zz=1", "a=%ff"])
  func `a broken one is malformed`(text: String) {
    #expect { try Query(text) } throws: { ($0 as? Problem)?.status == 400 }
  }

  @Test func `values have their types`() throws {
    let query = try Query("page=7&flag=true&method=POST&size=501&word=x")
    #expect(try query.integer("page", in: 1...10) == 7)
    #expect(try query.boolean("flag") == true)
    #expect(try query.choice("method", Method.self) == .post)
    #expect(try query.integer("absent", in: 1...10) == nil)
    #expect { try query.integer("size", in: 1...500) } throws: { ($0 as? Problem)?.status == 422 }
    #expect { try query.integer("word", in: 1...500) } throws: { ($0 as? Problem)?.status == 422 }
    #expect { try query.boolean("word") } throws: { ($0 as? Problem)?.status == 422 }
    #expect { try query.choice("word", Method.self) } throws: { ($0 as? Problem)?.status == 422 }
    #expect { try query.allow("page", "flag") } throws: { ($0 as? Problem)?.status == 400 }
    try query.allow("page", "flag", "method", "size", "word", "more")
  }
}
