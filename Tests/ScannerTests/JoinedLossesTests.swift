import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeReachability

struct JoinedLossesTests {
  private let provider = "ip-api.com"
  private let registry = "rdap.arin.net"
  private let linkDown = Verdict.offline(.linkDown)
  private let online = Verdict.online

  private func transition(
    _ endpoint: String,
    _ verdict: Verdict,
    after previous: Verdict? = nil,
    second: Int = 0
  ) -> NetworkTransition {
    let began = Moment(steady: .seconds(second), wall: .seconds(second))
    return NetworkTransition(
      verdict: verdict,
      previous: previous,
      interface: "eth0",
      endpoint: endpoint,
      began: began,
      lost: nil
    )
  }

  @Test func `paths that are lost together are one loss and one return`() {
    var losses = JoinedLosses()
    #expect(losses.take(transition(registry, linkDown, after: online)).told?.endpoint == registry)
    #expect(losses.take(transition(provider, linkDown, after: online)).told == nil)
    #expect(losses.take(transition(provider, online, after: linkDown)).told == nil)
    let back = losses.take(transition(registry, online, after: linkDown))
    #expect(back.told?.verdict == .online && !back.isReminderDue)
    #expect(losses.take(transition(provider, linkDown, after: online)).told != nil)
  }

  @Test func `what stays lost behind another path is told a while after its return`() {
    var losses = JoinedLosses()
    _ = losses.take(transition(provider, linkDown, after: online))
    _ = losses.take(transition(registry, linkDown, after: online, second: 1))
    let back = losses.take(transition(provider, online, after: linkDown, second: 2))
    #expect(back.told != nil && back.isReminderDue)
    #expect(losses.remind().told?.endpoint == registry)
    #expect(losses.remind().told == nil)
    #expect(losses.take(transition(registry, online, after: linkDown)).told?.endpoint == registry)
    #expect(losses.remind().told == nil)
  }

  @Test func `a loss in another way is told of the path whose loss was told`() {
    var losses = JoinedLosses()
    let unreachable = Verdict.offline(.unreachable)
    _ = losses.take(transition(provider, linkDown, after: online))
    _ = losses.take(transition(registry, linkDown, after: online))
    #expect(losses.take(transition(registry, unreachable, after: linkDown)).told == nil)
    #expect(losses.take(transition(provider, unreachable, after: linkDown)).told != nil)
    #expect(losses.take(transition(provider, online, after: unreachable)).told != nil)
  }

  @Test func `the ledger is one loss, whatever path it is seen from`() {
    var losses = JoinedLosses()
    let gone = Verdict.offline(.sharedUnreachable)
    #expect(losses.take(transition("redis://10.0.0.1", gone, after: online)).told != nil)
    #expect(losses.take(transition("redis://10.0.0.1", gone, after: online)).told == nil)
    #expect(losses.take(transition(provider, online, after: gone)).told != nil)
    #expect(losses.take(transition(registry, online, after: gone)).told == nil)
    #expect(losses.remind().told == nil)
  }

  @Test func `a change of an interface is told once, whoever sees it`() {
    let told = Shared<[InterfaceChange]>([])
    let teller = LossTeller { event in
      if case .interface(let change) = event { told.change { $0.append(change) } }
    }
    func change(up: Bool, second: Int) -> ScanEvent {
      var interface = Interface(name: "eth0")
      interface.isUp = up
      let moment = Moment(steady: .seconds(second), wall: .seconds(second))
      return .interface(InterfaceChange(interface: interface, isGone: false, at: moment))
    }
    for event in [(false, 1), (false, 2), (true, 3), (true, 4), (false, 5)] {
      teller.take(change(up: event.0, second: event.1))
    }
    #expect(told.value.map(\.interface.isUp) == [false, true, false])
  }
}
