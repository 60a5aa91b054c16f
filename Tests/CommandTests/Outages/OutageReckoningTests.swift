import SondeReachability
import SondeSummary
import SondeSystem
import TestSupport
import Testing

@testable import SondeAlerts

/// Three days of made-up outages, second by second, against what is reckoned of the runs.
@Suite struct OutageReckoningTests {
  private static let seconds = 72 * 3600

  /// One program that watches, and what it knows of each second.
  private struct Watcher {
    var recording: WatchRecording?
    var written: [Int64: WatchedRun] = [:]
    var seen = [WatchedState?](repeating: nil, count: OutageReckoningTests.seconds)
    private var told: WatchedState?
    private var contact = 0

    mutating func begin(_ number: Int64) {
      recording = WatchRecording(watcher: number, program: "watch", endpoint: "e", boot: 1)
      told = nil
    }

    mutating func kill() { recording = nil }

    /// What it does in a second in which it runs; `ahead` is by how much the clock is wrong.
    mutating func run(_ second: Int, _ state: WatchedState, ahead: Int) {
      guard recording != nil else { return }
      let now = at(Double(second), ahead: Double(ahead))
      let isChange = told != state
      guard isChange || second - contact >= 10 else { return }
      // What it knew holds until now, unless it was silent for too long.
      if let told, second - contact <= 30 { for past in contact..<second { seen[past] = told } }
      if isChange {
        recording?.take(WatchedFinding(state: state, cause: "cause"), from: now, now: now)
      } else {
        recording?.live(at: now)
      }
      (told, contact) = (state, second)
      for run in recording?.unwritten ?? [] { written[run.id] = run }
      recording?.haveWritten()
    }
  }

  @Test(arguments: [1, 2, 3, 4], [false, true])
  func `the sums are those of the seconds`(seed: UInt64, jumps: Bool) {
    var chance = SeededGenerator(seed: seed)
    var watchers = [Watcher(), Watcher()]
    var (state, ahead, asleepUntil) = (WatchedState.online, 0, 0)
    var stoppedUntil = [0, 0]
    for second in 0..<Self.seconds {
      if Int.random(in: 0..<600, using: &chance) == 0 {
        state = WatchedState.allCases.randomElement(using: &chance) ?? .online
      }
      if jumps, Int.random(in: 0..<9000, using: &chance) == 0 {
        ahead = Int.random(in: -5000...5000, using: &chance)
      }
      if Int.random(in: 0..<20_000, using: &chance) == 0 {
        asleepUntil = second + Int.random(in: 1...4000, using: &chance)
      }
      for index in watchers.indices {
        let isIdle = watchers[index].recording == nil
        if Int.random(in: 0..<(isIdle ? 3000 : 15_000), using: &chance) == 0 {
          if isIdle { watchers[index].begin(Int64(second)) } else { watchers[index].kill() }
        }
        if Int.random(in: 0..<5000, using: &chance) == 0 {
          stoppedUntil[index] = second + Int.random(in: 1...90, using: &chance)
        }
        guard second >= max(asleepUntil, stoppedUntil[index]) else { continue }
        watchers[index].run(second, state, ahead: ahead)
      }
    }
    check(watchers, jumps)
  }

  private func check(_ watchers: [Watcher], _ jumps: Bool) {
    let truth = (0..<Self.seconds).map { second in watchers.compactMap { $0.seen[second] }.max() }
    let runs = watchers.flatMap { Array($0.written.values) }.filter { $0.length > 0 }
    #expect(runs.count > 100)
    let report = OutageReport(runs, in: -10_000_000..<1_000_000_000, zone: .utc)
    let summary = report.summaries[0]
    func count(_ state: WatchedState) -> Int64 { Int64(truth.count { $0 == state }) * 1000 }
    #expect(summary.watched == Int64(truth.count { $0 != nil }) * 1000)
    #expect(summary.offline == count(.offline) && summary.degraded == count(.degraded))
    let losses = lengths(of: .offline, truth)
    #expect(
      report.outages.filter { $0.state == .offline }.map(\.length).sorted() == losses.sorted()
    )
    #expect(
      lengths(of: .degraded, truth).sorted()
        == report.outages.filter { $0.state == .degraded }.map(\.length).sorted()
    )
    #expect(summary.outages == losses.count && summary.longest == losses.max())
    guard !jumps else { return }
    for hour in 0..<24 {
      let within = truth.indices.filter { $0 / 3600 % 24 == hour && truth[$0] == .offline }
      let begun = within.count { $0 == 0 || truth[$0 - 1] != .offline }
      #expect(summary.hours[hour].offline == Int64(within.count) * 1000)
      #expect(summary.hours[hour].outages == begun)
    }
    // A part of it.
    let part = OutageReport(runs, in: 50_000_000..<150_000_000, zone: .utc).summaries[0]
    #expect(part.watched == Int64(truth[50_000..<150_000].count { $0 != nil }) * 1000)
    #expect(part.offline == Int64(truth[50_000..<150_000].count { $0 == .offline }) * 1000)
  }

  /// How long each series of seconds in a state is, in milliseconds.
  private func lengths(of state: WatchedState, _ truth: [WatchedState?]) -> [Int64] {
    truth.split { $0 != state }.map { Int64($0.count) * 1000 }
  }
}
