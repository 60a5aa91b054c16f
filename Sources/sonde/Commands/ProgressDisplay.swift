import Records
import Scanner

/// The progress line: done of total, rate, quota and time left.
enum ProgressDisplay {
  /// Runs `work` while the progress of `scan` is shown, if it is to be shown.
  ///
  /// - Parameters:
  ///   - scan: The scan under way.
  ///   - reader: Its reader.
  ///   - remaining: Requests that the quota allows at the moment, if there is a quota.
  ///   - console: Where to show it.
  ///   - work: What runs meanwhile.
  /// - Returns: What `work` returned.
  static func showing<Result: Sendable>(
    of scan: Scan,
    reader: EntryReader,
    remaining: (@Sendable () -> Int?)?,
    on console: Console,
    _ work: @escaping @Sendable () async -> Result
  ) async -> Result {
    guard console.showsProgress else { return await work() }
    let display = Task {
      var estimate = ProgressEstimate(start: .now)
      while (try? await Task.sleep(for: console.pace)) != nil {
        estimate.update(scan.progress, reader.progress, now: .now)
        console.progress(estimate.text(remaining: remaining?()))
      }
    }
    let result = await work()
    display.cancel()
    await display.value
    console.clearProgress()
    return result
  }
}

/// What the progress line says.
struct ProgressEstimate {
  private let start: ContinuousClock.Instant
  private var now: ContinuousClock.Instant
  private var done = 0
  private var total: Int?
  private var isEstimated = false

  init(start: ContinuousClock.Instant) {
    self.start = start
    now = start
  }

  /// Takes in where the scan and the reader are.
  mutating func update(
    _ scan: ScanProgress,
    _ read: ReadProgress,
    now: ContinuousClock.Instant
  ) {
    self.now = now
    done = scan.tally.entries
    isEstimated = !scan.isInputRead
    if scan.isInputRead {
      total = scan.entriesRead
    } else if let size = read.total, size > 0, read.bytes > 0, scan.entriesRead > 0 {
      total = Int(Double(scan.entriesRead) * Double(size) / Double(min(read.bytes, size)))
    }
  }

  /// `1,200 of 10,000 (12 %), 250/s, quota 3, 40 s left`.
  func text(remaining: Int?) -> String {
    var parts = [amount]
    let seconds = (now - start) / .seconds(1)
    let rate = seconds > 0 ? Double(done) / seconds : 0
    parts.append(rate >= 10 || rate == 0 ? "\(Int(rate))/s" : "\(Int(rate * 60))/min")
    if let remaining { parts.append("quota \(remaining)") }
    if let total, rate > 0, total > done {
      parts.append("\(Duration.seconds(Double(total - done) / rate).forPerson) left")
    }
    return parts.joined(separator: ", ")
  }

  private var amount: String {
    guard let total, total > 0 else { return "\(grouped(done)) done" }
    let percent = min(100, 100 * done / total)
    return "\(grouped(done)) of \(isEstimated ? "about " : "")\(grouped(total)) (\(percent) %)"
  }

  private func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return String(digits)
  }
}
