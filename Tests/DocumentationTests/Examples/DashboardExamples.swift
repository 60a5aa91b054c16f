import SondeAddresses
import SondeDashboard
import Testing

@Suite struct DashboardExamples {
  @Test func checkedText() {
    // example: a text
    let checked = CheckedText(" 8.8.8.8:53 ")
    #expect(checked.state == .invalid)
    #expect(checked.message == "column 9: has a port; write 8.8.8.8")
    #expect(CheckedText("2001:DB8::1").address?.description == "2001:db8::1")
    // end
  }

  @Test func life() {
    // example: a life
    var life = ScanLife()
    #expect(life.take(.start) == .done([.enqueue]))
    #expect(life.take(.start) == .holds)
    _ = life.take(.admitted)
    #expect(life.state(now: .now).state == .running)
    _ = life.take(.networkLost)
    #expect(life.state(now: .now).waiting == .network)
    // end
  }
}
