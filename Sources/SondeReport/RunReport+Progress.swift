import SondeInputs
import SondeRecords
import SondeScanner
import SondeSystem

extension RunReport {
  /// `1,200 of 10,000 (12 %), 250/s, 40 s left`, or the reason for waiting in place of the pace.
  func progress(at now: ContinuousClock.Instant) -> ProgressText {
    var text = ProgressText()
    text.add(amount, rank: 0)
    if let total = estimate.total, total > 0 {
      text.add(" (\(min(100, 100 * done / total)) %)", rank: 3)
    }
    let quota = allowance == 0 ? waits.quota(at: now) : nil
    if let loss = waits.loss {
      text.add(", network lost", rank: 0)
      text.add(": \(loss.place)", rank: 4)
      text.add(", \(Self.whole(now - loss.since).forPerson)", rank: 0)
    } else if let quota {
      text.add(", quota: \(Self.whole(quota.until - now).forPerson)", rank: 1)
    }
    let isIdle = quota != nil || waits.loss != nil && !waits.isHandedOver
    if !isIdle {
      if let pace = paceWords(at: now) { text.add(", \(pace)", rank: 5) }
      if let allowance { text.add(", quota \(grouped(allowance))", rank: 6) }
    }
    if let left = timeLeft(at: now, waitingFor: quota), waits.loss == nil || !isIdle {
      text.add(", \(Self.whole(left).forPerson) left", rank: 2)
    }
    return text
  }

  /// The finished amount and the total; duplicates without a record or a copied line do not count.
  private var amount: String {
    guard let total = estimate.total, total > 0 else { return "\(grouped(done)) done" }
    let about = estimate.isExact ? "" : "about "
    return "\(grouped(done)) of \(about)\(grouped(total))"
  }

  /// The entries written or excluded, or the addresses of such lines.
  private var done: Int { scan.lines?.written ?? scan.tally.settled }

  /// The expected total; `nil` if unknown, as with a pipe.
  private var estimate: (total: Int?, isExact: Bool) {
    let records = scan.entriesRead - (scan.lines == nil ? scan.tally.duplicates : 0)
    guard !scan.isInputRead else { return (records, true) }
    guard let entries = read.entries(after: scan.entriesRead), scan.entriesRead > 0 else {
      return (nil, false)
    }
    // The unread rest is assumed to have the same share of duplicates.
    let share = Double(records) / Double(scan.entriesRead)
    return (max(Int(bounded: entries * share), done), false)
  }

  /// The records written by this run.
  private var written: Int { done - scan.earlier }

  /// The share of counted addresses that need a look-up.
  private var askedShare: Double {
    guard scan.lines != nil, scan.tally.entries > 0 else { return 1 }
    return Double(scan.tally.entries - scan.tally.duplicates) / Double(scan.tally.entries)
  }

  /// Records per second since the start, without the time offline.
  private func pace(at now: ContinuousClock.Instant) -> Double {
    let time = now - start - waits.idleTime(at: now)
    return time > .zero ? Double(written) / (time / .seconds(1)) : 0
  }

  private func paceWords(at now: ContinuousClock.Instant) -> String? {
    let pace = pace(at: now)
    guard pace > 0 else { return nil }
    guard pace < 10 else { return "\(grouped(Int(pace)))/s" }
    return pace * 60 >= 1 ? "\(Int(pace * 60))/min" : nil
  }

  /// The maximum reported time in seconds: a hundred years.
  private static let longest = 36_500.0 * 86_400

  /// The remaining time; `nil` if unknown.
  ///
  /// During a wait for the quota, the work so far is taken to last until the end of that wait;
  /// after the last requests there is no wait. If little was done, as at the end of a window used
  /// by other runs, the estimate is at most the time of full windows.
  private func timeLeft(
    at now: ContinuousClock.Instant,
    waitingFor quota: Waits.Quota?
  ) -> Duration? {
    guard let total = estimate.total, total > done else { return nil }
    let rest = Double(total - done)
    let pace = pace(at: quota?.until ?? now)
    var times = pace > 0 ? [rest / pace] : []
    if let quota {
      let wait = (quota.until - quota.since) / .seconds(1)
      times = times.map { max(0, $0 - wait) }
      if let window = job.window, window.source == quota.source {
        times.append(window.seconds(for: rest * askedShare) - window.period / .seconds(1))
      }
    }
    guard let time = times.min(), time < Self.longest else { return nil }
    return .seconds(time) + (quota.map { $0.until - now } ?? .zero)
  }

  /// Whole seconds, rounded up, so that a wait never ends early.
  private static func whole(_ time: Duration) -> Duration {
    .seconds((time / .seconds(1)).rounded(.up))
  }
}

extension RunReport.Window {
  /// The seconds of the windows that this many addresses need.
  fileprivate func seconds(for addresses: Double) -> Double {
    (addresses / Double(self.addresses)).rounded(.up) * (period / .seconds(1))
  }
}

extension ReadProgress {
  /// The typical length in bytes of a line with one address.
  private static let plainLine = 14.0

  /// The estimated number of entries in the inputs; `nil` if unknown.
  ///
  /// The unread rest is assumed to resemble what was read. A few blocks among many lines are an
  /// exception: they say little about the rest, and count as often as they occurred, the more so
  /// the more bytes belong to other lines.
  ///
  fileprivate func entries(after known: Int) -> Double? {
    guard let total, bytes > 0, total > 0 else { return nil }
    let growth = max(1, Double(total) / Double(bytes))
    let plain = max(0, Double(known) + Double(held) - Double(expanded))
    let share = min(1, plain * Self.plainLine / Double(bytes))
    return plain * growth
      + (Double(expanded) + Double(toExpand)) * (share + (1 - share) * growth)
  }
}

extension Int {
  /// The number without its fraction, limited to the largest integer.
  fileprivate init(bounded value: Double) {
    self = value < Double(Int.max) ? Int(value) : .max
  }
}
