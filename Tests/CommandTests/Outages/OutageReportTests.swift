import SondeRecords
import SondeSummary
import SondeSystem
import Testing

@testable import SondeAlerts

/// What is reckoned of runs.
@Suite struct OutageReportTests {
  @Test func `states follow each other`() {
    let report = report([
      run(.online, 0, 10, isOver: true), run(.offline, 10, 4, isOver: true),
      run(.degraded, 14, 6, isOver: true), run(.online, 20, 80),
    ])
    #expect(report.outages.map(\.state) == [.offline, .degraded])
    #expect(report.outages.map(\.isEstimated) == [false, false])
    let summary = report.summaries[0]
    #expect(summary.watched == 100_000 && summary.offline == 4000 && summary.degraded == 6000)
    #expect(summary.availability == 0.96 && summary.availabilityForPerson == "96.000 %")
    #expect(summary.longest == 4000 && summary.mean == 4000 && summary.outages == 1)
  }

  @Test func `what several watched at once counts once`() {
    let report = report([
      run(.online, 0, 10, isOver: true), run(.offline, 10, 10, isOver: true), run(.online, 20, 20),
      run(.online, 5, 6, isOver: true), run(.offline, 11, 11, isOver: true), run(.online, 22, 28),
    ])
    #expect(report.outages.map(\.start) == [10_000])
    #expect(report.outages.map(\.length) == [12_000])
    #expect(report.summaries.map(\.watched) == [50_000])
  }

  @Test func `the worst that somebody saw counts`() {
    let report = report([
      run(.online, 0, 100), run(.degraded, 10, 30, isOver: true),
      run(.offline, 20, 5, isOver: true),
    ])
    #expect(report.outages.map(\.state) == [.degraded, .offline, .degraded])
    #expect(report.outages.map(\.length) == [10_000, 5000, 15_000])
    #expect(report.outages.map(\.isEstimated) == [false, false, false])
  }

  @Test func `an end that nobody saw is estimated`() {
    let killed = run(.offline, 10, 5)
    #expect(report([killed]).outages.map(\.isEstimated) == [true])
    #expect(report([killed, run(.offline, 12, 8, isOver: true)]).outages.map(\.length) == [10_000])
    #expect(
      report([killed, run(.offline, 12, 8, isOver: true)]).outages.map(\.isEstimated) == [false]
    )
    #expect(report([killed, run(.online, 0, 60)]).outages.map(\.isEstimated) == [true])
  }

  @Test func `an outage that goes on has no end`() {
    var lasting = run(.offline, 10, 5)
    lasting.isOngoing = true
    let report = report([lasting])
    #expect(report.outages.map(\.endTime) == [nil])
    #expect(report.outages.map(\.isEstimated) == [false])
    #expect(report.cells(report.outages[0])[1] == "goes on")
  }

  @Test func `endpoints and runs of the machine are apart`() {
    var other = run(.offline, 10, 5, isOver: true)
    other.endpoint = "b:2"
    var earlier = run(.offline, 10, 5, isOver: true)
    earlier.boot = 1
    earlier.wall = 500_000
    let report = report([run(.offline, 12, 5, isOver: true), other, earlier])
    #expect(report.summaries.map(\.endpoint) == ["a:1", "b:2"])
    #expect(report.summaries.map(\.outages) == [2, 1])
    #expect(self.report([other, earlier], endpoint: "b:2").summaries.map(\.endpoint) == ["b:2"])
  }

  @Test func `a summary is of the span alone, and outages are whole`() {
    let runs = [
      run(.online, 0, 10, isOver: true), run(.offline, 10, 20, isOver: true), run(.online, 30, 10),
    ]
    let report = OutageReport(runs, in: 15_000..<32_000, zone: .utc)
    #expect(report.outages.map(\.length) == [20_000])
    let summary = report.summaries[0]
    #expect(summary.watched == 17_000 && summary.offline == 15_000 && summary.longest == 15_000)
    #expect(summary.hours[0] == OutageSummary.Hour(outages: 0, offline: 15_000))
    let none = OutageReport(runs, in: 50_000..<60_000, zone: .utc)
    #expect(none.outages.isEmpty && none.summaries.map(\.watched) == [0])
    #expect(none.summaries[0].availability == nil)
    // It ends where the span begins.
    #expect(OutageReport(runs, in: 30_000..<60_000, zone: .utc).outages.isEmpty)
  }

  @Test func `hours are those of the zone`() throws {
    let zone = try #require(TimeZoneRules("Asia/Kolkata"))
    // From 00:20 to 02:10 UTC is from 05:50 to 07:40 there.
    let report = OutageReport(
      [run(.offline, 1200, 6600, isOver: true)],
      in: 0..<86_400_000,
      zone: zone
    )
    let hours = report.summaries[0].hours
    #expect(hours[5] == OutageSummary.Hour(outages: 1, offline: 600_000))
    #expect(hours[6] == OutageSummary.Hour(outages: 0, offline: 3_600_000))
    #expect(hours[7] == OutageSummary.Hour(outages: 0, offline: 2_400_000))
  }

  @Test func `causes stand in the order of their outages`() {
    var runs = (0..<5).map { run(.offline, Double($0) * 10, 1, isOver: true) }
    for index in [1, 3, 4] { runs[index].cause = "no_route" }
    let causes = report(runs).summaries[0].causes
    #expect(causes.map(\.name) == ["no_route", "link_down"])
    #expect(causes.map(\.outages) == [3, 2])
  }

  @Test func `the formats are as documented`() {
    var runs = [
      run(.online, 0, 10, isOver: true), run(.offline, 10, 2.5, isOver: true),
      run(.online, 12.5, 20),
    ]
    runs[1].interface = "a,b\tc"
    let report = OutageReport(runs, in: 0..<100_000, zone: .utc)
    #expect(
      text(report, .csv) == """
        start,end,duration_ms,state,cause,interface,endpoint,estimated
        1970-01-01T00:00:10.000Z,1970-01-01T00:00:12.500Z,2500,offline,link_down,"a,b\tc",a:1,false

        """
    )
    #expect(text(report, .tsv).hasSuffix("\toffline\tlink_down\ta,b\\tc\ta:1\tfalse\n"))
    let lines = text(report, .ndjson).split(separator: "\n")
    #expect(
      lines[0] == """
        {"start":"1970-01-01T00:00:10.000Z","end":"1970-01-01T00:00:12.500Z","duration_ms":2500,\
        "state":"offline","cause":"link_down","interface":"a,b\\tc","endpoint":"a:1",\
        "estimated":false}
        """
    )
    #expect(
      lines[1].hasPrefix(
        """
        {"event":"summary","endpoint":"a:1","since":"1970-01-01T00:00:00.000Z",\
        "until":"1970-01-01T00:01:40.000Z","watched_ms":32500,"offline_ms":2500,"degraded_ms":0,\
        "availability":0.9230769230769231,"outages":1,"longest_ms":2500,"mean_ms":2500,\
        "causes":[{"cause":"link_down","outages":1,"offline_ms":2500}],\
        "hours":[{"hour":0,"outages":1,"offline_ms":2500},{"hour":1,"outages":0,"offline_ms":0},
        """
      )
    )
    #expect(
      text(report, .json)
        == "{\"outages\":[\(lines[0])],\"summaries\":[{\(lines[1].dropFirst(19))]}\n"
    )
  }

  @Test func `nothing is valid in each form`() {
    let nothing = report([])
    #expect(text(nothing, .json) == "{\"outages\":[],\"summaries\":[]}\n")
    #expect(text(nothing, .ndjson).isEmpty && nothing.text(SummaryStyle()).isEmpty)
    #expect(text(nothing, .csv).split(separator: "\n").count == 1)
  }

  @Test func `columns that do not fit follow on lines of their own`() {
    let report = report([run(.online, 0, 10, isOver: true), run(.offline, 10, 3)])
    var style = SummaryStyle()
    style.width = 60
    #expect(
      report.text(style) == """
        1970-01-01 00:00:00 – 1970-01-01 00:16:40 UTC

        Outages
          start                end       length        state
            cause      interface  endpoint
          1970-01-01 00:00:10  00:00:13  at least 3 s  offline
            link_down             a:1

        Summary
          endpoint  availability  watched  outages  longest  mean
            offline  degraded
          a:1           76.923 %  13 s           1  3 s      3 s
            3 s      0 s

        """
    )
  }

  @Test func `only what had no outage was always available`() {
    let online = run(.online, 0, 1_000_000, isOver: true)
    let all = OutageReport([online], in: 0..<2_000_000_000, zone: .utc)
    #expect(all.summaries.map(\.availabilityForPerson) == ["100.000 %"])
    let lost = run(.offline, 1_000_000, 0.009, isOver: true)
    let most = OutageReport([online, lost], in: 0..<2_000_000_000, zone: .utc)
    #expect(most.summaries.map(\.availabilityForPerson) == ["99.999 %"])
  }

  private func text(_ report: OutageReport, _ format: SummaryFormat) -> String {
    String(decoding: report.data(as: format), as: UTF8.self)
  }

  private func report(_ runs: [WatchedRun], endpoint: String? = nil) -> OutageReport {
    OutageReport(runs, in: 0..<1_000_000, zone: .utc, endpoint: endpoint)
  }

  private func run(
    _ state: WatchedState,
    _ begin: Double,
    _ length: Double,
    isOver: Bool = false
  ) -> WatchedRun {
    WatchedRun(
      id: Int64(begin * 1000) * 10 + Int64(length),
      watcher: 1,
      program: "watch",
      endpoint: "a:1",
      state: state,
      cause: state == .online ? nil : "link_down",
      boot: 9,
      begin: Int64(begin * 1000),
      wall: Int64(begin * 1000),
      length: Int64(length * 1000),
      isOver: isOver
    )
  }
}
