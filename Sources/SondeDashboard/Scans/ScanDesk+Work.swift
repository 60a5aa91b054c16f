import Glibc
import SondeAsking
import SondeOutputs
import SondeReachability
import SondeRecords
import SondeScanner
import SondeSystem

extension ScanDesk {
  /// The minimum time between two events of a scan.
  static let tick = Duration.milliseconds(250)

  /// The time for requests in flight to end when a scan is halted.
  private static let grace = Duration.seconds(15)

  func act(_ actions: [ScanLife.Action], on id: String) {
    for action in actions {
      switch action {
      case .enqueue: enqueue(id)
      case .dequeue: queue.leave(id)
      case .halt: halt(id)
      }
    }
    admit()
  }

  /// Queues a scan, or makes it wait for disk space first.
  private func enqueue(_ id: String) {
    guard isShortOfDisk else {
      guard let birth = entries[id]?.stored.birth else { return }
      let isLocal = services.asksNobody(birth.provider)
      return queue.enter(WorkQueue.Scan(id: id, user: birth.user, isLocal: isLocal))
    }
    _ = entries[id]?.life.take(.diskShort)
    beginTicking()
  }

  private func halt(_ id: String) {
    guard let entry = entries[id] else { return }
    entry.execution?.halt(isFinal: entry.life.phase == .stopped)
    if entry.life.phase == .stopped { entry.planning?.cancel() }
    guard let task = entry.task else { return }
    Task {
      try? await Task.sleep(for: Self.grace)
      task.cancel()
    }
  }

  /// Starts the scans whose turn it is.
  func admit() {
    let now = ContinuousClock.now
    let idle = queue.atWork.filter { id in
      [.network, .quota].contains(entries[id]?.life.state(now: now).waiting)
    }
    while !isClosed, let id = queue.next(idle: idle) {
      _ = entries[id]?.life.take(.admitted)
      entries[id]?.task = Task { await self.work(on: id) }
      tell(id)
    }
    if !queue.atWork.isEmpty { beginTicking() }
  }

  /// Runs a scan until it ends or is halted.
  private func work(on id: String) async {
    await entries[id]?.planning?.value
    guard let entry = entries[id], entry.life.phase == .active else {
      return await finish(id, ScanExecution.Outcome(end: .halted))
    }
    guard let mode = entry.stored.mode else {
      return await finish(id, ScanExecution.Outcome(end: .failed("the input was not read")))
    }
    let birth = entry.stored.birth
    let job = ScanExecution.Job(
      folder: state.scanFolder(id),
      user: birth.user,
      name: birth.name,
      mode: mode,
      provider: birth.provider,
      isRetry: entry.life.isRetry,
      longestUnpacked: limits.unpacked
    )
    let execution = ScanExecution(job, services)
    entries[id]?.execution = execution
    entries[id]?.base = entry.life.isRetry ? entry.counts?.counters ?? RunCounters() : RunCounters()
    entries[id]?.estimate = (try? services.list(birth.provider))?.estimates.first { $0.batch > 0 }
    entries[id]?.throughput.begin(at: Timestamp.now.seconds)
    entries[id]?.revision += 1
    let watch = Task { for await event in execution.events { await self.hear(event, id) } }
    // Stored before the run, so that the next server knows if this one died of it.
    await keep(id)
    let outcome = await execution.run()
    await watch.value
    await finish(id, outcome)
  }

  /// Records the result of the work.
  private func finish(_ id: String, _ outcome: ScanExecution.Outcome) async {
    let recounted = entries[id]?.life.isRetry == true ? await recount(id) : nil
    guard var entry = entries[id] else { return queue.leave(id) }
    if entry.execution != nil {
      var counts = entry.counts ?? ScanCounts()
      counts.counters = entry.base
      counts.counters += outcome.counters
      if let tally = recounted ?? outcome.tally { counts.tally = tally }
      entry.counts = counts
    }
    entry.throughput.end(outcome.records)
    entry.execution = nil
    entry.task = nil
    entry.revision += 1
    let actions = entry.life.take(.ended(outcome.end))
    entries[id] = entry
    queue.leave(id)
    await keep(id)
    // Last, so that a server killed before this resumes the scan.
    if entry.life.isOver, !entry.life.mayBeResumed {
      unsafe unlink(state.scanFolder(id).journal)
    }
    try? await state.endLoss(of: id)
    tell(id)
    if !isClosed { act(actions, on: id) }
  }

  /// Counts the records again after some have changed.
  private func recount(_ id: String) async -> Tally? {
    guard let entry = entries[id], let table = try? table(id, of: entry.stored.birth.user),
      var tally = await tables.tally(of: table)
    else { return nil }
    let duplicates = entry.counts?.tally.duplicates ?? 0
    (tally.duplicates, tally.entries) = (duplicates, tally.records + duplicates)
    return tally
  }

  /// Handles changes of the network and of quotas during a run.
  private func hear(_ event: ScanEvent, _ id: String) async {
    guard let execution = entries[id]?.execution else { return }
    switch event {
    case .network(let transition):
      // The first provider's path counts, or the one shared by all providers.
      let path = execution.glance?.endpoint ?? transition.endpoint
      guard transition.outage != nil || transition.endpoint == path else { return }
      let isOnline = transition.verdict.isOnline
      _ = entries[id]?.life.take(isOnline ? .networkBack : .networkLost)
      if let loss = KeptLoss(transition) {
        try? await state.beginLoss(loss, of: id)
      } else if isOnline {
        try? await state.endLoss(of: id, at: transition.moment)
      }
    case .quota(_, let wait, _):
      _ = entries[id]?.life.take(.quotaSpent(until: .now + wait))
    default: return
    }
    // While it waits, another one may run.
    admit()
    await keep(id)
    tell(id)
  }
}

// MARK: - Progress

extension ScanDesk {
  private static let ticksInSecond = 4
  private static let ticksToDisk = 8
  private static let ticksToKeep = 20

  /// Starts checking the progress of scans until none is running.
  func beginTicking() {
    guard ticker == nil, !isClosed else { return }
    ticker = Task {
      while await self.advance() { try? await Task.sleep(for: Self.tick) }
    }
  }

  /// Checks and publishes the progress of scans; false when there is nothing left to check.
  private func advance() async -> Bool {
    ticks += 1
    let isSecond = ticks % Self.ticksInSecond == 0
    for id in queue.atWork {
      look(at: id)
      guard isSecond, var entry = entries[id], let records = entry.execution?.glance?.records
      else { continue }
      entry.throughput.note(records, at: Timestamp.now.seconds)
      let progress = [records, entry.throughput.counted]
      // A scan that waits for hours must not wear out the disk.
      let isDue = entry.keptProgress != progress || ticks % Self.ticksToKeep == 0
      entry.keptProgress = progress
      entries[id] = entry
      if isDue { await keep(id) }
    }
    if ticks % Self.ticksToDisk == 0 { lookAtDisk() }
    for id in order where entries[id]?.life.isOver == false || isUntold(id) { tell(id) }
    let isNeeded = !isClosed && !Task.isCancelled && (!queue.atWork.isEmpty || hasUnfinished)
    if !isNeeded { ticker = nil }
    return isNeeded
  }

  /// Whether an event is still due, or work unfinished.
  private var hasUnfinished: Bool {
    order.contains { isUntold($0) || entries[$0]?.life.state(now: .now).waiting == .disk }
  }

  private func isUntold(_ id: String) -> Bool {
    guard let entry = entries[id], !entry.told.isEmpty else { return false }
    return info(entry).event.bytes != entry.told
  }

  /// Updates the entry of a running scan with its progress.
  func look(at id: String) {
    guard let entry = entries[id], let glance = entry.execution?.glance else { return }
    let records = glance.progress.tally.records
    var counts = entry.counts ?? ScanCounts()
    if !entry.life.isRetry, records >= counts.tally.records { counts.tally = glance.progress.tally }
    counts.counters = entry.base
    counts.counters += glance.counters
    entries[id]?.counts = counts
  }

  var isShortOfDisk: Bool { state.shortage(below: limits.freeSpace) != nil }

  private func lookAtDisk() {
    let isShort = isShortOfDisk
    for id in order where entries[id]?.life.phase == .active {
      let actions = entries[id]?.life.take(isShort ? .diskShort : .diskFree) ?? []
      act(actions, on: id)
    }
  }
}

extension KeptLoss {
  /// The loss that a change of the network reports; `nil` if it reports none.
  init?(_ transition: NetworkTransition) {
    guard let cause = transition.verdict.cause else { return nil }
    self.init(
      start: transition.moment,
      end: nil,
      cause: cause.rawValue,
      interface: transition.interface
    )
  }
}

extension NetworkTransition {
  /// Its time by the system clock.
  var moment: Timestamp { Timestamp(milliseconds: began.wall.milliseconds) }
}
