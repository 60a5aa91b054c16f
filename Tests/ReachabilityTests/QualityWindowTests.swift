import Testing

@testable import SondeReachability

@Suite struct QualityWindowTests {
  private static let limits = DegradedLimits(loss: 0.3, connect: .milliseconds(300))

  private func lost(_ count: Int) -> [Measurement] {
    Array(repeating: Measurement(.timedOut), count: count)
  }

  private func good(_ count: Int, _ milliseconds: Int = 10) -> [Measurement] {
    let connect = Duration.milliseconds(milliseconds)
    return Array(repeating: Measurement(.provedOpen, connect: connect), count: count)
  }

  private func window(_ results: [Measurement], _ limits: DegradedLimits = limits) -> QualityWindow
  {
    results.reduce(into: QualityWindow(limits)) { $0.add($1) }
  }

  @Test func `nothing is judged before there are twenty probes`() {
    #expect(window(lost(9) + good(10)).cause == nil)
    #expect(window(lost(9) + good(11)).cause == .lossy)
    #expect(window(good(19, 500)).cause == nil)
    #expect(window(good(20, 500)).cause == .slow)
  }

  @Test func `what an earlier watch saw holds until there are twenty probes, if it is judged`() {
    for cause in [DegradedCause.lossy, .slow] {
      var judged = QualityWindow(Self.limits, after: cause)
      for result in good(19) { judged.add(result) }
      #expect(judged.cause == cause && judged.quality == nil)
      judged.add(good(1)[0])
      #expect(judged.cause == nil && judged.quality?.loss == 0)
      // An outage in between ends it.
      #expect(QualityWindow(Self.limits, after: cause).cleared.cause == nil)
    }
    var judged = QualityWindow(Self.limits, after: .slow)
    for result in lost(6) + good(14) { judged.add(result) }
    #expect(judged.cause == .lossy && judged.quality?.loss == 0.3)
    #expect(QualityWindow(DegradedLimits(loss: 0.3), after: .slow).cause == nil)
    #expect(QualityWindow(DegradedLimits(connect: .seconds(1)), after: .lossy).cause == nil)
  }

  @Test func `at least the share that is the limit is lossy, and only a longer time is slow`() {
    #expect(window(lost(5) + good(15)).cause == nil)
    #expect(window(lost(6) + good(14)).cause == .lossy)
    #expect(window(good(20, 300)).cause == nil)
    #expect(window(good(20, 301)).cause == .slow)
    #expect(window(good(10, 100) + good(10, 600)).quality?.connect == .milliseconds(350))
  }

  @Test func `an answer after a packet that was sent again is lost, though it connects`() {
    let resent = Measurement(.provedOpen, connect: .milliseconds(1010), isResent: true)
    let judged = window(Array(repeating: resent, count: 6) + good(14))
    #expect(judged.cause == .lossy && judged.quality?.loss == 0.3)
    #expect(judged.quality?.connect == .milliseconds(10))
  }

  @Test func `loss comes before slowness, which alone is enough`() {
    #expect(window(lost(6) + good(14, 500)).cause == .lossy)
    let connectAlone = DegradedLimits(connect: .milliseconds(300))
    #expect(window(lost(6) + good(14, 500), connectAlone).cause == .slow)
    #expect(window(good(20, 500), DegradedLimits(loss: 0.3)).cause == nil)
  }

  @Test func `it lasts until both figures are under two thirds of their limits`() {
    var judged = window(lost(6) + good(14))
    for result in good(2) { judged.add(result) }
    // Four of twenty are two thirds of the limit, and not under them.
    #expect(judged.cause == .lossy && judged.quality?.loss == 0.2)
    judged.add(good(1)[0])
    #expect(judged.cause == nil && judged.quality?.loss == 0.15)
    for result in good(12, 250) { judged.add(result) }
    #expect(judged.cause == nil)
    var slow = window(good(20, 301))
    for result in good(20, 200) { slow.add(result) }
    #expect(slow.cause == .slow)
    for result in good(20, 199) { slow.add(result) }
    #expect(slow.cause == nil)
  }

  @Test func `a slow path that becomes lossy is lossy, until that is over`() {
    var judged = window(good(20, 500))
    for result in lost(6) + good(1, 500) { judged.add(result) }
    #expect(judged.cause == .lossy)
    for result in good(14, 500) { judged.add(result) }
    // Six of twenty until here; then they leave the window one by one.
    #expect(judged.cause == .lossy)
    for result in good(2, 500) { judged.add(result) }
    #expect(judged.cause == .slow)
  }

  @Test func `only a probe that connects judges, and one that shows nothing does not count`() {
    var judged = window(good(20))
    for result in lost(9) { judged.add(result) }
    #expect(judged.cause == nil && !judged.hasFailed)
    judged.add(Measurement(.inconclusive))
    #expect(!judged.hasFailed)
    judged.add(lost(1)[0])
    #expect(judged.hasFailed && judged.cause == nil)
    judged.add(good(1)[0])
    #expect(!judged.hasFailed && judged.cause == .lossy)
    #expect(judged.cleared.quality == nil && judged.cleared.cause == nil)
  }
}
