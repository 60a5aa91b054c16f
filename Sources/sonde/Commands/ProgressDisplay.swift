import Reachability
import Records
import Scanner

/// The progress line, redrawn while a scan runs.
enum ProgressDisplay {
  /// Runs `work` while the progress of `scan` is shown, if it is to be shown.
  ///
  /// - Parameters:
  ///   - scan: The scan under way.
  ///   - reader: Its reader.
  ///   - chain: Whom it asks, if anybody: for the quota, and for the network.
  ///   - console: Where to show it.
  ///   - work: What runs meanwhile.
  /// - Returns: What `work` returned.
  static func showing<Result: Sendable>(
    of scan: Scan,
    reader: EntryReader,
    chain: ProviderChain?,
    on console: Console,
    _ work: @escaping @Sendable () async -> Result
  ) async -> Result {
    guard console.showsProgress else { return await work() }
    let display = Task {
      let start = ContinuousClock.now
      while (try? await Task.sleep(for: console.pace)) != nil {
        let network = chain?.networkStatus
        let estimate = ProgressEstimate(
          scan.progress,
          reader.progress,
          elapsed: .now - start,
          offline: network?.offlineTime ?? .zero
        )
        let quota = chain?.remaining
        console.progress(estimate.text(quota: quota, lost: network?.state.flatMap(\.lossWords)))
      }
    }
    let result = await work()
    display.cancel()
    await display.value
    console.clearProgress()
    return result
  }
}

extension NetworkTransition {
  /// What a progress line says while the network is lost; `nil` while it is there.
  fileprivate var lossWords: String? {
    guard let cause = verdict.cause else { return nil }
    return "waiting for the network: \(cause.words)"
  }
}

/// What the progress line says.
struct ProgressEstimate {
  private let done: Int
  private let total: Int?
  private let isExact: Bool
  private let seconds: Double

  /// Reckons from where the scan and the reader are.
  ///
  /// - Parameters:
  ///   - scan: How far the records are.
  ///   - read: How far the reading is, from which the total is estimated until it is over.
  ///   - elapsed: The time since the start.
  ///   - offline: How much of it the network was lost, which tells nothing about the pace.
  init(_ scan: ScanProgress, _ read: ReadProgress, elapsed: Duration, offline: Duration) {
    done = scan.tally.entries
    isExact = scan.isInputRead
    seconds = max(0, (elapsed - offline) / .seconds(1))
    if isExact {
      total = scan.entriesRead
    } else if let size = read.total, size > 0, read.bytes > 0, scan.entriesRead > 0 {
      total = Int(Double(scan.entriesRead) * Double(size) / Double(min(read.bytes, size)))
    } else {
      total = nil
    }
  }

  /// `1,200 of 10,000 (12 %), 250/s, quota 3, 40 s left`.
  ///
  /// - Parameters:
  ///   - quota: Requests that the quota allows at the moment, if there is one.
  ///   - lost: Why the scan waits for the network, in place of pace and time left.
  /// - Returns: The line.
  func text(quota: Int?, lost: String?) -> String {
    if let lost { return "\(amount), \(lost)" }
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var parts = [amount, rate >= 10 || rate == 0 ? "\(Int(rate))/s" : "\(Int(rate * 60))/min"]
    if let quota { parts.append("quota \(quota)") }
    if let total, rate > 0, total > done {
      parts.append("\(Duration.seconds(Double(total - done) / rate).forPerson) left")
    }
    return parts.joined(separator: ", ")
  }

  private var amount: String {
    guard let total, total > 0 else { return "\(grouped(done)) done" }
    let percent = min(100, 100 * done / total)
    return "\(grouped(done)) of \(isExact ? "" : "about ")\(grouped(total)) (\(percent) %)"
  }

  private func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return String(digits)
  }
}
