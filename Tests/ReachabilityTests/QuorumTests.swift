import Testing

@testable import SondeReachability

@Suite struct QuorumTests {
  private func change(
    _ verdict: Verdict,
    at seconds: Int = 0,
    loss: Double? = nil,
    on interface: String? = "eth0"
  ) -> NetworkTransition {
    let moment = Moment(steady: .seconds(1000 + seconds), wall: .seconds(2000 + seconds))
    var change = NetworkTransition(to: verdict, after: nil, endpoint: "a:1", began: moment)
    change.interface = interface
    change.quality = loss.map { PathQuality(loss: $0, connect: .milliseconds(10)) }
    return change
  }

  /// The verdict on the network from those on its endpoints, each on an interface of its own unless
  /// one is named.
  private func told(_ verdicts: [Verdict], needed: Int, on interface: String? = nil) -> Verdict? {
    var quorum = Quorum(of: verdicts.map { _ in "a:1" }, needed: needed)
    var told: NetworkTransition?
    for (place, verdict) in verdicts.enumerated() {
      told = quorum.take(change(verdict, on: interface ?? "eth\(place)"), of: place)
    }
    return told?.verdict
  }

  @Test func `an endpoint behind a broken interface has lost it, too`() {
    let (link, silent) = (Verdict.offline(.linkDown), Verdict.offline(.unreachable))
    #expect(told([link, silent], needed: 1, on: "eth0") == link)
    #expect(told([silent, link], needed: 1, on: "eth0") == link)
    // A route is missing to one endpoint alone.
    #expect(told([.offline(.noRoute), silent], needed: 1, on: "eth0") == silent)
  }

  @Test func `the table of verdicts`() {
    let (link, address, route) = (
      Verdict.offline(.linkDown), Verdict.offline(.noAddress), Verdict.offline(.noRoute)
    )
    let (silent, portal) = (Verdict.offline(.unreachable), Verdict.offline(.captivePortal))
    let (lossy, slow) = (Verdict.degraded(.lossy), Verdict.degraded(.slow))
    let table: [(verdicts: [Verdict], needed: Int, told: Verdict)] = [
      ([.online, .online], 2, .online),
      ([.online, link], 1, .online),
      // Local causes that break the quorum by themselves: the lowest.
      ([.online, link], 2, link),
      ([route, address], 1, address),
      ([route, silent, link], 2, link),
      ([link, silent], 2, link),
      // They do not, where others must fail, too.
      ([link, silent], 1, silent),
      ([.online, link, silent], 2, silent),
      ([.online, silent, silent], 2, silent),
      // A login page stands before all.
      ([.online, .online, portal], 1, portal),
      ([link, portal], 1, portal),
      // As good as its endpoint in the place of the quorum.
      ([lossy, .online], 1, .online),
      ([lossy, .online], 2, lossy),
      ([lossy, slow], 1, slow),
      ([lossy, slow, .online], 2, slow),
      ([.online, slow, silent], 2, slow),
      ([lossy, silent], 1, lossy),
    ]
    for row in table {
      #expect(told(row.verdicts, needed: row.needed) == row.told, "\(row)")
    }
  }

  @Test func `the first verdict waits for every endpoint, and a change is reported once`() {
    var quorum = Quorum(of: ["a:1", "b:2", "c:3"], needed: 2)
    #expect(quorum.take(change(.online), of: 0) == nil)
    #expect(quorum.take(change(.online), of: 2) == nil)
    let first = quorum.take(change(.offline(.unreachable)), of: 1)
    #expect(first?.verdict == .online && first?.previous == nil && first?.downTime == nil)
    #expect(first?.endpoint == "a:1 b:2 c:3")
    #expect(first?.reach == Reach(reachable: 2, endpoints: 3, quorum: 2))
    #expect(quorum.take(change(.online, at: 1), of: 1) == nil)
    #expect(quorum.take(change(.offline(.linkDown), at: 2, on: "eth1"), of: 0) == nil)
    let lost = quorum.take(change(.offline(.unreachable), at: 5), of: 1)
    #expect(lost?.verdict == .offline(.unreachable) && lost?.previous == .online)
    #expect(lost?.reason == "1 of 3 endpoints answers, and 2 must")
    let back = quorum.take(change(.online, at: 9), of: 0)
    #expect(back?.verdict == .online && back?.downTime == .seconds(4))
    #expect(quorum.losses.losses == 1)
  }

  @Test func `changes out of order never go back in time, and degraded time is kept`() {
    var quorum = Quorum(of: ["a:1", "b:2"], needed: 2)
    _ = quorum.take(change(.online), of: 0)
    _ = quorum.take(change(.online), of: 1)
    let lossy = quorum.take(change(.degraded(.lossy), at: 10, loss: 0.35), of: 0)
    #expect(lossy?.quality?.loss == 0.35)
    let lost = quorum.take(change(.offline(.linkDown), at: 12), of: 1)
    #expect(lost?.degradedTime == .seconds(2))
    let late = quorum.take(change(.online, at: 11), of: 1)
    #expect(late?.verdict == .degraded(.lossy) && late?.downTime == .zero)
    let good = quorum.take(change(.online, at: 20), of: 0)
    #expect(good?.verdict == .online && good?.degradedTime == .seconds(8) && good?.downTime == nil)
  }
}
