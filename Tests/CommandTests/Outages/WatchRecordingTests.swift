import SondeReachability
import Testing

@testable import SondeAlerts

/// What a program writes of what it sees.
@Suite struct WatchRecordingTests {
  private var recording = WatchRecording(watcher: 7, program: "watch", endpoint: "e:1", boot: 5)
  private let online = WatchedFinding(state: .online)
  private let lost = WatchedFinding(state: .offline, cause: "link_down", interface: "eth0")

  @Test mutating func `a loss ends one run and begins another`() {
    recording.take(online, from: at(0), now: at(0))
    recording.take(lost, from: at(8), now: at(8.5))
    let runs = recording.unwritten
    #expect(runs.map(\.state) == [.online, .offline])
    #expect(runs.map(\.begin) == [0, 8000])
    #expect(runs.map(\.length) == [8000, 500])
    #expect(runs.map(\.isOver) == [true, false])
    #expect(runs[1].cause == "link_down" && runs[1].interface == "eth0" && runs[1].boot == 5)
  }

  @Test mutating func `another cause of the same loss is no other run`() {
    recording.take(lost, from: at(0), now: at(0))
    recording.take(WatchedFinding(state: .offline, cause: "no_route"), from: at(3), now: at(3))
    #expect(recording.unwritten.map(\.cause) == ["link_down"])
    #expect(recording.unwritten.map(\.length) == [3000])
  }

  @Test mutating func `a state that had to settle begins in the past`() {
    recording.take(online, from: at(0), now: at(0))
    recording.live(at: at(10))
    recording.take(lost, from: at(4), now: at(14))
    #expect(recording.unwritten.map(\.begin) == [0, 4000])
    #expect(recording.unwritten.map(\.length) == [4000, 10_000])
  }

  @Test(arguments: [(30.0, [40_000], [false]), (30.001, [10_000, 0], [false, false])])
  mutating func `a longer silence is not watched`(
    silence: Double,
    lengths: [Int64],
    ends: [Bool]
  ) {
    recording.take(lost, from: at(0), now: at(0))
    recording.live(at: at(10))
    recording.live(at: at(10 + silence))
    #expect(recording.unwritten.map(\.length) == lengths)
    #expect(recording.unwritten.map(\.isOver) == ends)
  }

  @Test mutating func `a loss behind a silence begins when it is seen`() {
    recording.take(online, from: at(0), now: at(10))
    recording.take(lost, from: at(100), now: at(101))
    #expect(recording.unwritten.map(\.state) == [.online, .offline])
    #expect(recording.unwritten.map(\.begin) == [0, 100_000])
    #expect(recording.unwritten.map(\.length) == [10_000, 1000])
    #expect(recording.unwritten.map(\.isOver) == [false, false])
  }

  @Test mutating func `a loss before a silence ends with the last sign`() {
    recording.take(online, from: at(0), now: at(10))
    // It was observed at 5, settled while the machine slept, and was reported afterwards.
    recording.take(lost, from: at(5), now: at(200))
    #expect(recording.unwritten.map(\.state) == [.online, .offline, .offline])
    #expect(recording.unwritten.map(\.begin) == [0, 5000, 200_000])
    #expect(recording.unwritten.map(\.length) == [5000, 5000, 0])
    #expect(recording.unwritten.map(\.isOver) == [true, false, false])
  }

  @Test mutating func `the clock on the wall may jump`() {
    recording.take(online, from: at(0), now: at(0))
    recording.take(lost, from: at(5, ahead: 3600), now: at(5, ahead: 3600))
    recording.live(at: at(9, ahead: -3600))
    #expect(recording.unwritten.map(\.wall) == [0, 3_605_000])
    #expect(recording.unwritten.map(\.length) == [5000, 4000])
  }

  @Test mutating func `what was written is written again once it changes`() {
    recording.take(online, from: at(0), now: at(0))
    recording.haveWritten()
    #expect(recording.unwritten.isEmpty)
    recording.live(at: at(10))
    #expect(recording.unwritten.map(\.length) == [10_000])
  }

  @Test mutating func `what cannot be written takes bounded memory`() {
    for second in 0..<5000 {
      let finding = second % 2 == 0 ? online : lost
      recording.take(finding, from: at(Double(second)), now: at(Double(second)))
    }
    #expect(recording.unwritten.count == 1000)
    #expect(recording.unwritten.last?.begin == 4_999_000)
  }
}

func at(_ seconds: Double, ahead: Double = 0) -> Moment {
  Moment(steady: .seconds(seconds), wall: .seconds(seconds + ahead))
}
