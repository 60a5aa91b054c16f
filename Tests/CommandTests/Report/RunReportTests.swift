import SondeDatabases
import Testing

@testable import SondeAsking
@testable import SondeInputs
@testable import SondeOptions
@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeReport
@testable import sonde

@Suite struct RunReportTests {
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
  ) -> SondeOptions.ExitStatus {
    var job = RunReport.Job()
    job.countsInvalid = countsInvalid
    var report = RunReport(of: job)
    report.outcome.tally = tally(statuses)
    report.isRefused = isRefused
    return report.status(signal: nil)
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

  @Test func `what a source has no answer for counts as what a provider has none for`() {
    var job = RunReport.Job()
    job.statusColumns = ["ptr_status", "owner_status"]
    var report = RunReport(of: job)
    report.outcome.tally = tally([.ok, .ok])
    report.outcome.tally.entries = 2
    report.outcome.tally.add(FaultTally(failed: 2), of: 1)
    // A provider's refusal is none of its business.
    report.isRefused = true
    #expect(report.status(signal: nil) == .failed)
    #expect(report.closing.first?.contains("; owner_status: 2 failed") == true)
    report.outcome.tally.add(FaultTally(networkLost: 1), of: 0)
    #expect(report.status(signal: nil) == .networkLost)
    let event = String(decoding: report.event.bytes, as: UTF8.self)
    #expect(event.contains(#""ptr_status":{"failed":0,"network_lost":1}"#))
    #expect(event.contains(#""owner_status":{"failed":2,"network_lost":0}"#))
  }

  @Test func `that the network is not watched is said once`() {
    var report = RunReport()
    let said = (0..<2).map { _ in report.hear(.unwatched(reason: "none to spare"), at: .now) }
    #expect(said == [.note("the network is not watched: none to spare"), nil])
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
    var report = RunReport()
    report.isRefused = true
    report.outcome.tally = tally([.failed, .networkLost])
    report.outcome.outputError = OutputError(name: "out", code: 28)
    #expect(report.status(signal: nil) == .inputOutput)
    report.outcome.outputError = OutputError(name: "stdout", code: 32)
    #expect(report.status(signal: .interrupted) == .success)
    #expect(report.closing == [])
  }

  @Test func `a signal wins when it stopped the run, and only then`() {
    var report = RunReport()
    report.outcome.tally = tally([.ok, .networkLost])
    #expect(report.status(signal: .interrupted) == .networkLost)
    report.outcome.isInterrupted = true
    for signal in [SondeOptions.ExitStatus.interrupted, .terminated, .hungUp] {
      #expect(report.status(signal: signal) == signal)
    }
  }

  @Test func `the statuses have the order of the contract, whatever order they come in`() {
    let order: [SondeOptions.ExitStatus] = [.inputOutput, .refused, .networkLost, .failed]
    for (index, status) in order.enumerated() {
      #expect(SondeOptions.ExitStatus.highest(of: order[index...].reversed()) == status)
    }
    #expect(SondeOptions.ExitStatus.highest(of: []) == .success)
    #expect(SondeOptions.ExitStatus.highest(of: [.success, .failed]) == .failed)
    #expect(SondeOptions.ExitStatus.highest(of: [.inputOutput, .interrupted]) == .interrupted)
    #expect(SondeOptions.ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 129, 130, 143])
  }

  @Test func `the summary event has the books of the run`() {
    var report = RunReport()
    report.outcome.tally = tally([.ok, .unknown, .reserved, .invalid, .failed, .networkLost])
    report.outcome.tally.entries = 9
    report.outcome.tally.duplicates = 3
    (report.counters.requests, report.counters.throttled) = (7, 2)
    (report.counters.losses, report.counters.offline, report.counters.elapsed) = (1, 3000, 1500)
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

  // MARK: - The last words

  private func report(
    _ tally: Tally,
    of job: RunReport.Job = RunReport.Job(),
    _ end: (inout ScanOutcome) -> Void = { _ in }
  ) -> RunReport {
    var report = RunReport(of: job)
    report.outcome.tally = tally
    report.outcome.tally.entries = tally.records + tally.duplicates
    end(&report.outcome)
    report.counters.elapsed = 1500
    return report
  }

  @Test func `one is one, and what is none is left out`() {
    var one = tally([.ok])
    one.duplicates = 1
    #expect(report(one).closing == ["2 entries: 1 ok, 1 duplicate in 1.5 s"])
    #expect(report(tally([.ok])).closing == ["1 entry: 1 ok in 1.5 s"])
    var job = RunReport.Job()
    job.hasProviders = true
    one.duplicates = 2
    #expect(report(one, of: job).closing == ["3 entries: 1 ok, 2 duplicates; 0 requests in 1.5 s"])
  }

  @Test func `of nothing that could be read there is no summary`() {
    let failed = report(Tally()) {
      $0.inputErrors = [InputError(name: "list.txt", reason: "No such file or directory")]
    }
    #expect(failed.closing == [])
    #expect(report(Tally()).closing == ["0 entries: 0 ok in 1.5 s"])
  }

  @Test func `what can be resumed is said, and how`() {
    var job = RunReport.Job()
    let stop: (inout ScanOutcome) -> Void = { $0.isInterrupted = true }
    #expect(report(tally([.ok]), of: job, stop).closing == ["interrupted; 1 entry: 1 ok in 1.5 s"])
    job.isResumable = true
    #expect(
      report(tally([.ok]), of: job, stop).closing.last
        == "to resume, give the same command with --resume"
    )
    let unread = report(tally([.ok]), of: job) {
      $0.inputErrors = [InputError(name: "b", reason: "Input/output error")]
    }
    #expect(
      unread.closing.last
        == "not everything could be read; when it can, give the same command with --resume"
    )
    let unwritten = report(tally([.ok]), of: job) {
      $0.outputError = OutputError(name: "out.csv", code: 28)
    }
    #expect(
      unwritten.closing.last
        == "not everything could be written; when it can, give the same command with --resume"
    )
    #expect(report(tally([.ok]), of: job).closing.count == 1)
  }

  @Test func `rows that the first provider did not answer can be asked for again`() {
    var job = RunReport.Job()
    (job.preferred, job.isUpgradable, job.output) = ("ip-api", true, "my out.csv")
    var local = Tally()
    (local.ok, local[.libloc]) = (4, 4)
    #expect(report(local, of: job).closing.count == 1, "it knew nothing of them")
    var handedOver = report(local, of: job)
    _ = handedOver.hear(
      .handover(from: "ip-api", to: "local", isReturn: false, message: "HTTP 500"),
      at: .now
    )
    #expect(
      handedOver.closing.last
        == #"'sonde upgrade "my out.csv" -o "my out.csv"' asks ip-api again for 4 rows"#
    )
    #expect(
      report(tally([.failed]), of: job).closing.last
        == #"'sonde upgrade "my out.csv" -o "my out.csv"' asks ip-api again for 1 row"#
    )
    job.output = nil
    #expect(
      report(tally([.networkLost]), of: job).closing.last
        == "'sonde upgrade FILE -o FILE' asks ip-api again for 1 row"
    )
    job.isUpgradable = false
    #expect(report(tally([.failed]), of: job).closing.count == 1)
    job.isUpgradable = true
    #expect(report(tally([.failed]), of: job) { $0.isInterrupted = true }.closing.count == 1)
  }
}
