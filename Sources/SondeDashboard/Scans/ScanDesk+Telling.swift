import SondeRecords

extension ScanDesk {
  func info(_ entry: Entry) -> ScanInfo {
    let birth = entry.stored.birth
    let now = ContinuousClock.now
    let (state, waiting) = entry.life.state(now: now)
    let isAtWork = entry.execution != nil && entry.life.phase == .active
    return ScanInfo(
      id: birth.id,
      user: birth.user,
      name: birth.name,
      form: entry.stored.form,
      state: state,
      waiting: waiting,
      detail: entry.life.detail ?? lock(entry) ?? emptiness(entry),
      isRetry: entry.life.isRetry,
      provider: birth.provider,
      createdAt: birth.createdAt,
      bytes: birth.bytes,
      total: entry.stored.total,
      counts: entry.counts,
      rate: isAtWork ? (waiting == nil ? entry.throughput.rate : 0) : nil,
      quota: isAtWork ? entry.execution?.glance?.quota : nil,
      secondsLeft: isAtWork ? secondsLeft(entry, waiting, now) : nil,
      plan: entry.stored.plan
    )
  }

  /// The message that another program has locked the records; `nil` unless the scan waits for it.
  private func lock(_ entry: Entry) -> String? {
    guard entry.life.phase == .active, entry.execution?.isLocked == true else { return nil }
    return "its records.db is locked by another program: waiting for it"
  }

  /// The message that the input has no address; `nil` if it has, or this is not known yet.
  private func emptiness(_ entry: Entry) -> String? {
    let found =
      entry.life.phase == .done ? entry.counts.map(\.tally.addresses) : entry.stored.distinct
    guard entry.life.phase == .done || entry.life.phase == .ready, found == 0 else { return nil }
    return "no address was found in it"
  }

  private func secondsLeft(
    _ entry: Entry,
    _ waiting: ScanLife.Waiting?,
    _ now: ContinuousClock.Instant
  ) -> Int? {
    guard !entry.life.isRetry, waiting == nil || waiting == .quota,
      let total = entry.stored.total, let counts = entry.counts
    else { return nil }
    let rest = max(0, total - counts.tally.entries)
    let toAsk = entry.stored.toAsk ?? total
    let outlook = ScanOutlook(
      entries: rest,
      toAsk: total > 0 ? Int((Double(rest) * Double(toAsk) / Double(total)).rounded(.up)) : 0,
      rate: waiting == nil ? entry.throughput.rate : nil,
      quota: entry.execution?.glance?.quota,
      wait: entry.life.quotaWait(now: now)
    )
    return outlook.secondsLeft(entry.estimate)
  }

  /// Publishes the state of a scan, with a delay if it was published a moment ago.
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

  /// Stores the state of a scan; if the disk is full, the next call retries.
  func keep(_ id: String) async {
    guard var scan = entries[id]?.stored, let entry = entries[id] else { return }
    scan.counts = entry.counts.map { NumberText.bytes(of: $0.numbers) }
    scan.throughput = NumberText.bytes(of: entry.throughput.numbers)
    let runs = entry.execution != nil && entry.life.state(now: .now).state == .running
    scan.deaths.isRunning = !isClosed && (entry.isRead || runs)
    try? await state.update(scan)
  }
}
