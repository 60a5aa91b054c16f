import SondeOutputs
import SondeRecords
import SondeScanner
import SondeSystem

/// All scans of the dashboard: creates them, runs them in turn and reports their progress.
///
/// It executes the decisions of ``ScanLife`` and `WorkQueue`; ``DashboardState`` stores them.
public actor ScanDesk {
  /// A scan and its current work.
  package struct Entry {
    var stored: StoredScan
    package var counts: ScanCounts?
    var throughput = Throughput()
    /// The records of the current run, and those in steps, when its progress was last stored.
    var keptProgress: [Int] = []
    var planning: Task<Void, Never>?
    var isRead = false
    var execution: ScanExecution?
    var task: Task<Void, Never>?
    /// The counters before the current run.
    var base = RunCounters()
    /// The needs of the first web API that the run asks; `nil` if it asks none.
    var estimate: ProviderEstimate?
    /// Increases whenever the table may have changed.
    var revision = 0
    /// The last published event.
    var told: [UInt8] = []
    var toldAt: ContinuousClock.Instant?

    package var life: ScanLife {
      get { stored.life }
      set { stored.life = newValue }
    }
  }

  let state: DashboardState
  let services: DashboardServices
  let limits: DashboardLimits
  let hub: DashboardHub
  let tables: RecordDesk
  package var entries: [String: Entry] = [:]
  /// The oldest first.
  var order: [String] = []
  var queue = WorkQueue()
  /// The uploads under way, by path.
  var uploads: [String: AdmittedUpload] = [:]
  var ticker: Task<Void, Never>?
  /// Ends when the newest input has been planned.
  var lastPlanning: AsyncStream<Never>?
  var ticks = 0
  var isClosed = false

  /// Creates a desk without scans; ``open()`` loads the stored ones.
  public init(
    state: DashboardState,
    services: DashboardServices,
    limits: DashboardLimits,
    hub: DashboardHub,
    tables: RecordDesk
  ) {
    (self.state, self.services, self.limits) = (state, services, limits)
    (self.hub, self.tables) = (hub, tables)
  }

  /// Loads the stored scans and resumes those that were running.
  public func open() async throws(StateError) {
    let kept = try await state.scans()
    try state.tidyFolders(keeping: Set(kept.map(\.id)))
    for scan in kept {
      var entry = Entry(stored: scan)
      entry.counts = scan.counts.map { ScanCounts(numbers: NumberText.numbers(in: $0)) }
      entry.throughput = Throughput(numbers: NumberText.numbers(in: scan.throughput ?? []))
      entries[scan.id] = entry
      order.append(scan.id)
      try await state.endLoss(of: scan.id)
      if scan.deaths.isRunning { await noteDeath(of: scan.id) }
    }
    for id in order {
      if entries[id]?.stored.plan == nil, entries[id]?.life.isOver == false { plan(id) }
      let actions = entries[id]?.life.takeUp() ?? []
      act(actions, on: id)
    }
  }

  /// Records that the last server died while a scan ran; a scan that caused it is not run again.
  private func noteDeath(of id: String) async {
    guard var entry = entries[id],
      let table = try? table(id, of: entry.stored.birth.user)
    else { return }
    let place = await tables.progress(of: table, isRetry: entry.life.isRetry)
    entry.stored.deaths.note(at: place)
    if entry.stored.deaths.areCaused { _ = entry.life.take(.ended(.deadly)) }
    entries[id] = entry
    await keep(id)
  }

  /// Halts all work so that another server can resume it; returns within two seconds.
  public func close() async {
    isClosed = true
    ticker?.cancel()
    let tasks = entries.values.compactMap(\.task)
    for entry in entries.values {
      entry.planning?.cancel()
      entry.execution?.halt(isFinal: false)
    }
    let last = Task {
      try? await Task.sleep(for: .milliseconds(1200))
      for task in tasks { task.cancel() }
    }
    // Before the wait: a kill during it must not count as a death.
    try? await state.endRuns()
    for task in tasks { await task.value }
    last.cancel()
  }
}

// MARK: - Requests

extension ScanDesk {
  /// The scans of a user, the newest first.
  ///
  /// A page starts behind `place`, which the page before it returned, or at the newest.
  public func scans(
    of user: String = "",
    before place: String? = nil,
    limit: Int
  ) -> (items: [ScanInfo], next: String?) {
    let own = order.reversed().compactMap { entries[$0] }.filter { $0.stored.birth.user == user }
    let start = place.map { beginning(in: own, behind: $0) } ?? 0
    let page = own[start...].prefix(limit)
    let hasMore = start + page.count < own.count
    let last = page.last?.stored.birth
    return (page.map(info), hasMore ? last.map { "\($0.createdAt.milliseconds)-\($0.id)" } : nil)
  }

  /// Where a page begins, even if the last scan of the page before it has been deleted.
  private func beginning(in own: [Entry], behind place: String) -> Int {
    let parts = place.split(separator: "-")
    if let last = parts.last, let index = own.firstIndex(where: { $0.stored.id == last }) {
      return index + 1
    }
    guard let moment = parts.first.flatMap({ Int64($0) }) else { return own.count }
    return own.firstIndex { $0.stored.birth.createdAt.milliseconds < moment } ?? own.count
  }

  /// A scan of a user.
  ///
  /// - Throws: ``DashboardError`` if it does not exist.
  public func scan(_ id: String, of user: String = "") throws(DashboardError) -> ScanInfo {
    look(at: id)
    return info(try entry(id, user))
  }

  /// The speed of a scan over time.
  ///
  /// - Throws: ``DashboardError`` if it does not exist.
  public func throughput(_ id: String, of user: String = "") throws(DashboardError) -> Throughput {
    try entry(id, user).throughput
  }

  /// The table of a scan's records.
  ///
  /// - Throws: ``DashboardError`` if the scan does not exist.
  public func table(_ id: String, of user: String = "") throws(DashboardError) -> ScanTable {
    let entry = try entry(id, user)
    let folder = state.scanFolder(id)
    var table = ScanTable(
      path: folder.records,
      inputName: entry.stored.birth.name,
      revision: entry.revision,
      isChanging: entry.execution != nil
    )
    table.isRewritten = table.isChanging && entry.life.isRetry
    table.user = user
    table.upload = entry.stored.mode.map {
      ScanTable.Upload(path: folder.input, mode: $0, longestUnpacked: limits.unpacked)
    }
    return table
  }

  /// Whether a scan can run now, or waits for the quota that look-ups use.
  var goesFirst: Bool {
    let now = ContinuousClock.now
    let waiting = entries.values.filter { $0.life.state(now: now).waiting == .quota }
    if !waiting.isEmpty {
      let usual = (try? services.list(nil))?.estimates.first { $0.batch > 0 }?.name
      if waiting.contains(where: { $0.estimate?.name == usual }) { return true }
    }
    return entries.values.contains { $0.life.state(now: now).state == .running }
  }

  func entry(_ id: String, _ user: String) throws(DashboardError) -> Entry {
    guard let entry = entries[id], entry.stored.birth.user == user else {
      throw DashboardError(.notFound, "there is no such scan")
    }
    return entry
  }

  /// Executes a command, unless the scan is already in that state, and returns its new state.
  ///
  /// - Throws: ``DashboardError`` if the scan does not exist or the command is not possible.
  public func perform(
    _ command: ScanLife.Command,
    on id: String,
    of user: String = ""
  ) async throws(DashboardError) -> ScanInfo {
    if command == .retry, try entry(id, user).life.isOver { try await checkRetry(id, user) }
    var entry = try entry(id, user)
    switch entry.life.take(command) {
    case .impossible(let reason): throw DashboardError(.conflict, reason)
    case .holds: break
    case .done(let actions):
      entry.stored.deaths.take(command)
      entries[id] = entry
      // A scan that failed before its input was read.
      if command == .resume, entry.stored.mode == nil, entry.planning == nil { plan(id) }
      look(at: id)
      act(actions, on: id)
      await keep(id)
      tell(id)
    }
    return try scan(id, of: user)
  }

  /// Refuses a retry if no row would be asked for.
  private func checkRetry(_ id: String, _ user: String) async throws(DashboardError) {
    let provider = try entry(id, user).stored.birth.provider
    let list = try? services.list(provider)
    let (fallbacks, cache) = (list?.fallbacks ?? [], list?.caches.first ?? nil)
    let table = try table(id, of: user)
    guard await tables.hasRowsToAsk(in: table, fallbacks: fallbacks, cache) else {
      throw DashboardError(.conflict, "there is nothing to ask again")
    }
  }

  /// Deletes a scan with all its data and ends its work.
  ///
  /// - Throws: ``DashboardError`` if it does not exist, or the state cannot be changed.
  public func delete(_ id: String, of user: String = "") async throws(DashboardError) {
    var entry = try entry(id, user)
    if case .done(let actions) = entry.life.take(.stop) {
      entries[id] = entry
      act(actions, on: id)
    }
    entry.planning?.cancel()
    entry.task?.cancel()
    await entry.planning?.value
    await entry.task?.value
    do throws(StateError) {
      try await state.deleteScan(id)
    } catch {
      throw DashboardError(error)
    }
    discard(id)
    queue.leave(id)
    hub.publish(.deleted(.scan, id, of: user))
    admit()
  }
}

extension ScanDesk {
  /// The number of scans of each user who has any, and the bytes of their files.
  public var use: [String: (scans: Int, bytes: Int)] {
    var use: [String: (scans: Int, bytes: Int)] = [:]
    for entry in entries.values {
      let birth = entry.stored.birth
      use[birth.user, default: (0, 0)].scans += 1
      use[birth.user, default: (0, 0)].bytes += state.scanFolder(birth.id).size
    }
    return use
  }

  func deleteAll(of user: String) async throws(DashboardError) {
    for id in order where entries[id]?.stored.birth.user == user { try await delete(id, of: user) }
  }

  /// Deletes finished scans created before a moment, and scans that were not started in time.
  func remove(before moment: Timestamp, now: Timestamp = .now) async {
    let forgotten = Timestamp(milliseconds: now.milliseconds - limits.readiness.milliseconds)
    for id in order {
      guard let entry = entries[id], entry.task == nil,
        entry.life.isOver && entry.stored.birth.createdAt < moment
          || entry.life.phase == .ready && entry.stored.birth.createdAt < forgotten
      else { continue }
      try? await delete(id, of: entry.stored.birth.user)
    }
  }
}
