import Records
import Scanner
import Testing

@testable import sonde

@Suite struct RunReportTests {
  private let console = Console(isQuiet: true, showsProgress: false, isTerminal: false)

  private func tally(_ statuses: [Status]) -> Tally {
    var tally = Tally()
    for status in statuses { tally.count(Record(address: nil, status: status)) }
    return tally
  }

  /// The status of a run that ended with these records.
  private func status(
    _ statuses: [Status],
    countsInvalid: Bool = false,
    isRefused: Bool = false
  ) -> sonde.ExitStatus {
    var outcome = ScanOutcome()
    outcome.tally = tally(statuses)
    var report = RunReport(outcome: outcome, counters: RunCounters())
    report.countsInvalid = countsInvalid
    report.isRefused = isRefused
    return report.status(signal: nil, console: console)
  }

  @Test func `answers of any kind are success, and so is nothing at all`() {
    #expect(status([]) == .success)
    #expect(status([.ok, .unknown, .reserved]) == .success)
    #expect(status([.ok, .invalid]) == .success)
    #expect(status([.reserved, .invalid]) == .success)
  }

  @Test func `failed addresses, or not one valid entry, are a failure`() {
    #expect(status([.ok, .failed]) == .failed)
    #expect(status([.invalid, .invalid]) == .failed)
    #expect(status([.ok, .invalid], countsInvalid: true) == .failed)
    #expect(status([.ok], countsInvalid: true) == .success)
  }

  @Test func `the highest reason in the order 4, 3, 1 wins`() {
    #expect(status([.failed, .networkLost]) == .networkLost)
    #expect(status([.failed, .networkLost], isRefused: true) == .refused)
    #expect(status([.networkLost, .invalid], countsInvalid: true) == .networkLost)
    // Refused, yet every address was answered, by another provider for instance.
    #expect(status([.ok, .unknown], isRefused: true) == .success)
    #expect(status([.networkLost], isRefused: true) == .networkLost)
  }

  @Test func `an output that failed wins over them, and a closed pipe is a satisfied reader`() {
    var outcome = ScanOutcome()
    outcome.tally = tally([.failed, .networkLost])
    outcome.outputFailure = OutputFailure(name: "out", code: 28)
    let full = RunReport(outcome: outcome, counters: RunCounters(), isRefused: true)
    #expect(full.status(signal: nil, console: console) == .inputOutput)
    outcome.outputFailure = OutputFailure(name: "stdout", code: 32)
    let closed = RunReport(outcome: outcome, counters: RunCounters(), isRefused: true)
    #expect(closed.status(signal: .interrupted, console: console) == .success)
  }

  @Test func `a signal wins when it stopped the run, and only then`() {
    var outcome = ScanOutcome()
    outcome.tally = tally([.ok, .networkLost])
    let whole = RunReport(outcome: outcome, counters: RunCounters())
    #expect(whole.status(signal: .interrupted, console: console) == .networkLost)
    outcome.isInterrupted = true
    let stopped = RunReport(outcome: outcome, counters: RunCounters())
    for signal in [sonde.ExitStatus.interrupted, .terminated, .hungUp] {
      #expect(stopped.status(signal: signal, console: console) == signal)
    }
  }

  @Test func `the statuses have the order of the contract, whatever order they come in`() {
    let order: [sonde.ExitStatus] = [.inputOutput, .refused, .networkLost, .failed]
    for (index, status) in order.enumerated() {
      #expect(sonde.ExitStatus.highest(of: order[index...].reversed()) == status)
    }
    #expect(sonde.ExitStatus.highest(of: []) == .success)
    #expect(sonde.ExitStatus.highest(of: [.success, .failed]) == .failed)
    #expect(sonde.ExitStatus.highest(of: [.inputOutput, .interrupted]) == .interrupted)
    #expect(sonde.ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 129, 130, 143])
  }

  @Test func `the summary event has the books of the run`() {
    var outcome = ScanOutcome()
    outcome.tally = tally([.ok, .unknown, .reserved, .invalid, .failed, .networkLost])
    outcome.tally.entries = 9
    outcome.tally.duplicates = 3
    var counters = RunCounters()
    (counters.requests, counters.throttled) = (7, 2)
    (counters.losses, counters.offline, counters.elapsed) = (1, 3000, 1500)
    let report = RunReport(outcome: outcome, counters: counters)
    let line = String(decoding: report.event.line, as: UTF8.self)
    #expect(line.hasPrefix(#"{"event":"summary","at":"2"#))
    #expect(
      line.hasSuffix(
        #""entries":9,"duplicates":3,"ok":1,"reserved":1,"invalid":1,"failed":1,"network_lost":1,"#
          + #""cached":0,"unknown":1,"sources":{},"requests":7,"throttled":2,"losses":1,"#
          + #""offline_ms":3000,"elapsed_ms":1500}"# + "\n"
      )
    )
  }
}
