import Testing

@testable import SondeTransfer

@Suite struct ResponseTests {
  @Test func `header fields are found whatever their case and spacing`() {
    let raw = "HTTP/1.1 200 OK\r\nX-Ttl:  12 \r\nX-Rl:3\r\nEmpty:\r\nX-Ttl: 99\r\nLast: end"
    let response = Response(status: 200, body: [], rawHeader: Array(raw.utf8))
    #expect(response.header("x-ttl") == "12")
    #expect(response.header("X-RL") == "3")
    #expect(response.header("empty") == "")
    #expect(response.header("last") == "end")
    for name in ["X-T", "X-Ttl2", "Ttl", "", "HTTP/1.1 200 OK", "nd", "Last: end"] {
      #expect(response.header(name) == nil)
    }
    #expect(Response(status: 200, body: []).header("x") == nil)
  }

  @Test func `a login page is a redirect, or HTML with status 200`() {
    struct Case {
      let status: Int
      var type = "application/json"
      var body = "{}"
      let isLogin: Bool
    }
    let cases = [
      Case(status: 301, isLogin: true), Case(status: 302, isLogin: true),
      Case(status: 307, isLogin: true), Case(status: 200, isLogin: false),
      Case(status: 200, type: "Text/HTML; charset=utf-8", isLogin: true),
      Case(status: 200, type: "application/xhtml+xml", isLogin: true),
      Case(status: 200, body: "<!DOCTYPE html>", isLogin: true),
      Case(status: 200, body: "\u{feff} \r\n<html>", isLogin: true),
      Case(status: 200, body: "[\"<html>\"]", isLogin: false),
      Case(status: 200, body: "", isLogin: false), Case(status: 200, body: " ", isLogin: false),
      Case(status: 503, type: "text/html", body: "<html>", isLogin: false),
      Case(status: 404, type: "text/html", body: "<html>", isLogin: false),
      Case(status: 204, isLogin: false), Case(status: 511, isLogin: true),
      Case(status: 511, type: "text/html", body: "<html>", isLogin: true),
    ]
    let wrong = cases.filter { item in
      let header = Array("Content-Type: \(item.type)\r\n".utf8)
      let response = Response(status: item.status, body: Array(item.body.utf8), rawHeader: header)
      return response.looksLikeLoginPage != item.isLogin
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `a body made by hand has room behind it as well`() {
    let response = Response(status: 200, body: [1, 2, 3])
    #expect(response.body == [1, 2, 3])
    #expect(response.body.capacity >= 3 + Response.padding)
  }
}

@Suite struct LaneTests {
  @Test func `those who wait are served in order and never more than the limit at once`() {
    var lane = Lane<Int>()
    var (underWay, served) = (0, [Int]())
    for number in 0..<1000 {
      lane.append(number)
      while let next = lane.next(limit: 3) {
        served.append(next)
        underWay += 1
      }
      #expect(underWay <= 3)
      guard number % 2 == 1 else { continue }
      lane.finish()
      underWay -= 1
    }
    while underWay > 0 {
      lane.finish()
      underWay -= 1
      while let next = lane.next(limit: 3) {
        served.append(next)
        underWay += 1
      }
    }
    #expect(served == Array(0..<1000))
    #expect(lane.isIdle)
  }

  @Test func `those taken out are those who still wait`() {
    var lane = Lane<Int>()
    for number in 0..<5 { lane.append(number) }
    #expect(lane.next(limit: 2) == 0)
    #expect(lane.next(limit: 2) == 1)
    #expect(lane.next(limit: 2) == nil)
    #expect(lane.removeWaiting() == [2, 3, 4])
    #expect(!lane.isIdle)
    lane.finish()
    lane.finish()
    #expect(lane.isIdle)
  }
}

@Suite struct CertificateAuthoritiesTests {
  @Test func `the environment names them as for the curl tool`() {
    let table: [([String: String], CertificateAuthorities)] = [
      ([:], CertificateAuthorities()),
      (["CURL_CA_BUNDLE": "b"], CertificateAuthorities(file: "b")),
      (["SSL_CERT_FILE": "f"], CertificateAuthorities(file: "f")),
      (["SSL_CERT_DIR": "d"], CertificateAuthorities(folder: "d")),
      (
        ["SSL_CERT_FILE": "f", "SSL_CERT_DIR": "d"], CertificateAuthorities(file: "f", folder: "d")
      ),
      (["CURL_CA_BUNDLE": "b", "SSL_CERT_DIR": "d"], CertificateAuthorities(file: "b")),
    ]
    for (environment, expected) in table {
      #expect(CertificateAuthorities(environment: { environment[$0] }) == expected)
    }
  }
}
