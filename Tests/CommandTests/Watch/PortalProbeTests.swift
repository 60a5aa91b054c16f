import SondeReachability
import SondeTransfer
import Testing

@testable import SondeAsking

@Suite struct PortalProbeTests {
  @Test func `the page's own answer is 204, or what is neither HTML nor a redirect`() {
    func finding(_ status: Int, _ body: String = "", _ type: String = "text/plain") -> Finding {
      PortalPage.finding(
        of: Response(
          status: status,
          body: Array(body.utf8),
          rawHeader: Array("Content-Type: \(type)\r\n\r\n".utf8)
        )
      )
    }
    #expect(finding(204) == .answered)
    #expect(finding(200, "success\n") == .answered)
    #expect(finding(200, "<html>", "text/html") == .loginPage)
    #expect(finding(200, " <!doctype html>") == .loginPage)
    #expect(finding(302) == .loginPage)
    #expect(finding(511, "<html>", "text/html") == .loginPage)
    #expect(finding(503, "<html>", "text/html") == .inconclusive)
    #expect(finding(404) == .inconclusive)
  }

  @Test func `a login page counts more than a connection, and a lost way more than a page`() {
    let table: [(asked: Finding, connected: Finding, hasMet: Bool, told: Finding)] = [
      (.answered, .provedOpen, false, .answered),
      (.loginPage, .provedOpen, true, .loginPage),
      (.loginPage, .timedOut, true, .loginPage),
      (.answered, .timedOut, false, .timedOut),
      (.inconclusive, .provedOpen, false, .provedOpen),
      (.inconclusive, .provedOpen, true, .inconclusive),
      (.inconclusive, .noRoute, true, .noRoute),
      (.inconclusive, .inconclusive, false, .inconclusive),
    ]
    let wrong = table.filter { row in
      PortalProbe.finding(
        asked: row.asked,
        connected: row.connected,
        hasMetLoginPage: row.hasMet
      ) != row.told
    }
    #expect(wrong.map { "\($0)" } == [])
  }
}
