import SondeProviders
import SondeReachability
import Testing

@testable import SondeAsking
@testable import SondeInputs
@testable import SondeRecords
@testable import SondeReport
@testable import SondeScanner
@testable import sonde

@Suite struct ProgressTests {
  private let start = ContinuousClock.now

  private func report(
    done: Int,
    read: Int,
    isRead: Bool = true,
    bytes: (UInt64, UInt64?) = (0, nil),
    duplicates: Int = 0,
    earlier: Int = 0,
    window: RunReport.Window? = nil
  ) -> RunReport {
    var job = RunReport.Job()
    job.window = window
    var report = RunReport(of: job, from: start)
    report.scan.tally.ok = done
    report.scan.tally.duplicates = duplicates
    report.scan.entriesRead = read
    report.scan.isInputRead = isRead
    report.scan.earlier = earlier
    (report.read.bytes, report.read.total) = bytes
    return report
  }

  /// The whole line so many seconds after the start.
  private func text(_ report: RunReport, after seconds: Double = 10) -> String {
    report.progress(at: start + .seconds(seconds)).whole
  }

  private func heard(
    _ report: RunReport,
    _ events: (ScanEvent, after: Double)...
  ) -> RunReport {
    var report = report
    for (event, seconds) in events { _ = report.hear(event, at: start + .seconds(seconds)) }
    return report
  }

  private func loss(_ cause: OfflineCause?) -> ScanEvent {
    .network(transition(cause.map { .offline($0) } ?? .online, previous: nil))
  }

  @Test func `where lines are copied, every address in them counts, also in a block under way`() {
    var report = report(done: 10, read: 6000, duplicates: 90)
    report.scan.tally.entries = 100
    var lines = LineProgress()
    (lines.written, lines.awaited) = (1500, 7)
    report.scan.lines = lines
    #expect(text(report) == "1,500 of 6,000 (25 %), 150/s, 30 s left")
    #expect(report.scan.waiting == 7)
  }

  @Test func `what was found and not given out yet counts`() {
    var report = report(done: 100, read: 4096, isRead: false, bytes: (600, 600))
    report.read.held = 1904
    #expect(text(report).hasPrefix("100 of about 6,000 (1 %)"))
  }

  @Test func `the line says how far it is, how fast, and what is left`() {
    var report = report(done: 1200, read: 10_000)
    report.allowance = 3
    #expect(text(report) == "1,200 of 10,000 (12 %), 120/s, quota 3, 1 min 14 s left")
    #expect(
      text(self.report(done: 12_000, read: 12_000), after: 1)
        == "12,000 of 12,000 (100 %), 12,000/s"
    )
  }

  @Test func `a slow pace is told by the minute, and none is none`() {
    #expect(text(report(done: 5, read: 10)) == "5 of 10 (50 %), 30/min, 10 s left")
    #expect(text(report(done: 0, read: 10)) == "0 of 10 (0 %)")
    #expect(text(report(done: 3, read: 10), after: 0) == "3 of 10 (30 %)")
    #expect(text(report(done: 0, read: 0, isRead: false)) == "0 done")
  }

  @Test func `while it is read the total is estimated by the size`() {
    #expect(
      text(report(done: 100, read: 200, isRead: false, bytes: (1000, 10_000)))
        == "100 of about 2,000 (5 %), 10/s, 3 min 10 s left"
    )
    // A file that grows has not more than all of it read.
    #expect(
      text(report(done: 1, read: 2, isRead: false, bytes: (99, 10))).hasPrefix("1 of about 2 ")
    )
    for bytes in [(0, nil), (0, 100), (100, nil), (0, 0)] as [(UInt64, UInt64?)] {
      let report = report(done: 1234, read: 2000, isRead: false, bytes: bytes)
      #expect(text(report) == "1,234 done, 123/s")
    }
  }

  @Test func `blocks count with what they are still to give, and a few say nothing of the rest`() {
    func total(_ read: Int, expanded: UInt64, toExpand: UInt64, of bytes: (UInt64, UInt64?)) -> Int
    {
      var report = report(done: 1, read: read, isRead: false, bytes: bytes)
      (report.read.expanded, report.read.toExpand) = (expanded, toExpand)
      let line = text(report).drop { $0 != "t" }.dropFirst(2).prefix { $0 != "(" }
      return Int(line.filter(\.isNumber)) ?? 0
    }
    // The first of ten blocks of 65,536, none of it read but a beginning.
    #expect(total(4096, expanded: 4096, toExpand: 61_440, of: (13, 130)) == 655_360)
    // One block before ten thousand lines, of which a hundred have been read.
    let lines = total(65_636, expanded: 65_536, toExpand: 0, of: (1213, 120_013))
    #expect((75_000...76_000).contains(lines))
  }

  @Test func `duplicates are neither done nor to be done`() {
    #expect(
      text(report(done: 100, read: 1000, isRead: false, bytes: (50, 100), duplicates: 800))
        == "100 of about 400 (25 %), 10/s, 30 s left"
    )
    #expect(text(report(done: 100, read: 1000, duplicates: 900)) == "100 of 100 (100 %), 10/s")
  }

  @Test func `the rows of earlier runs tell nothing about the pace`() {
    #expect(
      text(report(done: 1100, read: 2000, earlier: 1000))
        == "1,100 of 2,000 (55 %), 10/s, 1 min 30 s left"
    )
    #expect(
      text(report(done: 1000, read: 500, isRead: false, bytes: (1, 2), earlier: 1000))
        == "1,000 of about 1,000 (100 %)"
    )
  }

  @Test func `while the quota is waited for it says for how long, and when all will be done`() {
    var report = heard(
      report(done: 1500, read: 4500),
      (.quota(provider: .ipAPI, wait: .seconds(59), remaining: 0), after: 1)
    )
    report.allowance = 0
    // Two more windows; behind the last nothing is waited for.
    #expect(
      text(report, after: 17) == "1,500 of 4,500 (33 %), quota: 43 s, 1 min 44 s left"
    )
    #expect(
      report.progress(at: start + .seconds(17)).fitted(to: 39).text
        == "1,500 of 4,500, quota: 43 s"
    )
    report.allowance = 7
    #expect(text(report, after: 17).contains("quota 7"), "there is leave again")
    report.allowance = 0
    #expect(!text(report, after: 61).contains("quota:"))
  }

  @Test func `a wait after little was done takes no longer than full windows do`() {
    let window = RunReport.Window(source: .ipAPI, addresses: 1500, period: .seconds(60))
    let wait = ScanEvent.quota(provider: .ipAPI, wait: .seconds(50), remaining: 0)
    for (done, line) in [
      (100, "100 of 4,000 (2 %), quota: 45 s, 2 min 45 s left"),
      (0, "0 of 4,000 (0 %), quota: 45 s, 2 min 45 s left"),
    ] {
      var report = heard(self.report(done: done, read: 4000, window: window), (wait, after: 5))
      report.allowance = 0
      #expect(text(report, after: 10) == line)
    }
    // Nothing is known of another provider's.
    let other = RunReport.Window(source: .ipinfo, addresses: 1500, period: .seconds(60))
    var report = heard(self.report(done: 0, read: 4000, window: other), (wait, after: 5))
    report.allowance = 0
    #expect(text(report, after: 10) == "0 of 4,000 (0 %), quota: 45 s")
    // What the cache answers needs no window.
    report = heard(self.report(done: 3000, read: 4500, window: window), (wait, after: 5))
    report.allowance = 0
    #expect(text(report, after: 10) == "3,000 of 4,500 (66 %), quota: 45 s, 45 s left")
  }

  @Test func `a time beyond all patience is not told, nor a pace of none`() {
    let all = "1 of 9,223,372,036,854,775,807 (0 %)"
    #expect(text(report(done: 1, read: .max), after: 3) == "\(all), 20/min")
    #expect(text(report(done: 1, read: .max), after: 100) == all)
    let window = RunReport.Window(source: .ipAPI, addresses: 1, period: .seconds(86_400))
    let wait = ScanEvent.quota(provider: .ipAPI, wait: .seconds(50), remaining: 0)
    var report = heard(self.report(done: 1, read: .max, window: window), (wait, after: 5))
    report.allowance = 0
    #expect(text(report, after: 10) == "\(all), quota: 45 s")
  }

  @Test func `while the network is lost it says what, where and how long`() {
    let report = heard(report(done: 100, read: 200), (loss(.linkDown), after: 10))
    #expect(text(report, after: 22) == "100 of 200 (50 %), network lost: link_down on eth0, 12 s")
    let narrow = [
      39: "100 of 200 (50 %), network lost, 12 s", 36: "100 of 200, network lost, 12 s",
    ]
    for (width, line) in narrow {
      #expect(report.progress(at: start + .seconds(22)).fitted(to: width).text == line)
    }
    let still = heard(report, (loss(.noRoute), after: 15))
    #expect(text(still, after: 22).hasSuffix("network lost: no_route on eth0, 12 s"))
    let back = heard(still, (loss(nil), after: 30))
    #expect(text(back, after: 30) == "100 of 200 (50 %), 10/s, 10 s left", "the pace before it")
  }

  @Test func `while another provider answers it goes on, and the loss is told`() {
    let report = heard(
      report(done: 100, read: 200),
      (loss(.linkDown), after: 2),
      (.handover(from: "ip-api", to: "local", isReturn: false, message: "lost"), after: 12)
    )
    #expect(
      text(report, after: 20)
        == "100 of 200 (50 %), network lost: link_down on eth0, 18 s, 10/s, 10 s left"
    )
    let back = heard(
      report,
      (loss(nil), after: 20),
      (.handover(from: "local", to: "ip-api", isReturn: true, message: "again"), after: 20)
    )
    #expect(text(back, after: 20) == "100 of 200 (50 %), 10/s, 10 s left")
  }
}
