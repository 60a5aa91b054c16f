import Records
import Scanner

extension ScanDesk {
  func info(_ entry: Entry) -> ScanInfo {
    let birth = entry.stored.birth
    let (state, waiting) = entry.life.state(now: .now)
    let isAtWork = entry.execution != nil
    return ScanInfo(
      id: birth.id,
      user: birth.user,
      name: birth.name,
      form: birth.form,
      state: state,
      waiting: waiting,
      detail: entry.life.detail,
      isRetry: entry.life.isRetry,
      provider: birth.provider,
      createdAt: birth.createdAt,
      bytes: birth.bytes,
      total: entry.stored.total,
      counts: entry.counts,
      rate: isAtWork ? entry.throughput.rate : nil,
      quota: entry.execution?.glance?.quota,
      secondsLeft: isAtWork ? secondsLeft(entry) : nil,
      plan: entry.stored.plan
    )
  }

  private func secondsLeft(_ entry: Entry) -> Int? {
    guard !entry.life.isRetry, let total = entry.stored.total, let counts = entry.counts,
      let rate = entry.throughput.rate, rate > 0
    else { return nil }
    let seconds = Double(max(0, total - counts.tally.entries)) / rate
    return seconds < 1e9 ? Int(seconds.rounded(.up)) : nil
  }

  /// Tells those who watch how a scan is, unless they have been told a moment ago: then it is told a
  /// moment later.
  func tell(_ id: String) {
    guard let entry = entries[id] else { return }
    let now = ContinuousClock.now
    if let toldAt = entry.toldAt, now - toldAt < Self.tick {
      beginTicking()
      return
    }
    let info = info(entry)
    let event = info.event.bytes
    guard event != entry.told else { return }
    entries[id]?.told = event
    entries[id]?.toldAt = now
    hub.publish(DashboardEvent(kind: .scan, user: info.user, json: event))
  }

  /// Keeps how a scan is; what the disk does not take is kept the next time.
  func keep(_ id: String) async {
    guard var scan = entries[id]?.stored, let entry = entries[id] else { return }
    scan.counts = entry.counts.map { NumberText.bytes(of: $0.numbers) }
    scan.throughput = NumberText.bytes(of: entry.throughput.numbers)
    try? await state.update(scan)
  }
}
