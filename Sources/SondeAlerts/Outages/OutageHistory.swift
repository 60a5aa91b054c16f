package import SondeReachability
import SondeRecords
import SondeSQLite
import SondeStore
import SondeSystem

/// The history of the network, a SQLite file that all programs of a user share.
///
/// No method fails: what cannot be read is missing, and what cannot be written is reported once
/// to `warn`, waits in memory and is written as soon as that is possible.
package actor OutageHistory {
  /// How often a sign of life is written.
  private static let pulse = Duration.seconds(10)

  /// How long the times to connect are kept, in milliseconds.
  private static let latencyKeeping: Int64 = 30 * 86_400_000

  /// How long runs are kept.
  package static let keeping = Duration.seconds(400 * 86_400)

  private let executor = BlockingExecutor(label: "sonde.outages")
  private let keeper: DatabaseKeeper
  private let watcher = UInt64.random(in: 1..<1 << 62)
  private var recording: WatchRecording?
  private var tally = LatencyTally()

  /// The executor of a separate thread, since SQLite waits for disks and other processes.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names `outages.db` in a directory, which is opened or created on first use.
  package init(folder: String, warn: @escaping @Sendable (String) -> Void) {
    keeper = DatabaseKeeper(
      path: Self.file(in: folder),
      schema: .outages,
      mayReplace: true,
      warn: warn
    )
  }

  /// The file in a directory.
  package static func file(in folder: String) -> String { folder + "/outages.db" }

  /// Keeps what a monitor sees, until the task is cancelled or the monitor stops.
  ///
  /// - Parameters:
  ///   - events: The events of the monitor.
  ///   - endpoint: The endpoint as in events.
  ///   - program: The name of the command.
  package nonisolated func keep(
    _ events: AsyncStream<NetworkEvent>,
    of endpoint: String,
    by program: String
  ) async {
    await begin(endpoint, program)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while (try? await Task.sleep(for: Self.pulse)) != nil { await self.live() }
      }
      for await case .network(let transition) in events {
        await take(transition)
      }
      group.cancelAll()
    }
    await end()
  }

  private func begin(_ endpoint: String, _ program: String) {
    recording = WatchRecording(
      watcher: Int64(watcher),
      program: program,
      endpoint: endpoint,
      boot: Int64(bitPattern: Boot.id)
    )
  }

  private func take(_ transition: NetworkTransition) {
    recording?.take(WatchedFinding(transition), from: transition.began, now: .now)
    write(isChange: true)
  }

  private func live() {
    recording?.live(at: .now)
    write(isChange: false)
  }

  private func end() {
    live()
    keeper.close()
  }

  private func write(isChange: Bool) {
    guard let runs = recording?.unwritten, !runs.isEmpty else { return }
    let watcher = watcher
    let isWritten = keeper.use(for: .writing) { [keeper] connection throws(SQLiteError) in
      _ = keeper.hold(watcher)
      let table = WatchedRunTable(database: connection.database)
      try table.write(runs, syncing: isChange, in: connection)
      return true
    }
    if isWritten == true { recording?.haveWritten() }
  }
}

// MARK: - Times to connect

extension OutageHistory {
  /// Keeps how probes connect to an endpoint, by minutes, until the task is cancelled or the monitor
  /// stops.
  package nonisolated func keep(_ probes: AsyncStream<Measurement>, to endpoint: String) async {
    for await probe in probes { await count(probe, of: endpoint) }
    await endMinute(of: endpoint)
  }

  private func count(_ probe: Measurement, of endpoint: String) {
    if let minute = tally.add(probe, at: Timestamp.now.milliseconds) { write(minute, of: endpoint) }
  }

  private func endMinute(of endpoint: String) {
    if let minute = tally.minute { write(minute, of: endpoint) }
    tally = LatencyTally()
    keeper.close()
  }

  private func write(_ minute: LatencyMinute, of endpoint: String) {
    keeper.use(for: .writing) { connection throws(SQLiteError) in
      let table = LatencyTable(database: connection.database)
      try connection.write { () throws(SQLiteError) in
        try table.add(minute, of: endpoint)
        try table.remove(before: minute.start - Self.latencyKeeping)
      }
    }
  }

  /// How probes connected to an endpoint from a moment on, in milliseconds since 1970 UTC; the
  /// current minute so far is the last.
  ///
  /// - Returns: `nil` if the file cannot be read.
  package func latency(of endpoint: String, since moment: Int64) -> [LatencyMinute]? {
    let kept = keeper.use(for: .reading) { connection throws(SQLiteError) in
      try LatencyTable(database: connection.database).minutes(of: endpoint, since: moment)
    }
    guard var minutes = kept, let current = tally.minute, current.start >= moment else {
      return kept
    }
    if let last = minutes.last, last.start == current.start {
      minutes[minutes.count - 1].connect = current.connect ?? last.connect
      minutes[minutes.count - 1].failed += current.failed
    } else {
      minutes.append(current)
    }
    return minutes
  }
}

// MARK: - Reading

extension OutageHistory {
  /// The runs that end after a moment, in milliseconds since 1970 UTC; those that go on are
  /// extended until now.
  ///
  /// - Returns: `nil` if the file cannot be read.
  package func runs(after moment: Int64) -> [WatchedRun]? {
    let runs = keeper.use(for: .reading) { connection throws(SQLiteError) in
      try WatchedRunTable(database: connection.database).runs(after: moment)
    }
    let now = Clocks.steady
    return runs?.map { run in
      guard isAlive(run, now: now) else { return run }
      var run = run
      run.length = max(run.length, now.milliseconds - run.begin)
      run.isOngoing = true
      return run
    }
  }

  /// The state in which the last watch of an endpoint ended, by anyone or else by a program, unless
  /// it was online or goes on; call it before ``keep(_:of:by:)``.
  package func unendedState(of endpoint: String, by program: String) -> UnendedState? {
    let courses = keeper.use(for: .reading) { connection throws(SQLiteError) in
      let table = WatchedRunTable(database: connection.database)
      return [
        try table.lastRuns(of: endpoint, by: nil), try table.lastRuns(of: endpoint, by: program),
      ]
    }
    let now = Clocks.steady
    let ended = courses?.first { runs in
      runs.first.map { $0.state != .online && !$0.isOver && !isAlive($0, now: now) } ?? false
    }
    return ended.flatMap { UnendedState(newestFirst: $0) }
  }

  /// Adds runs of another source.
  ///
  /// - Returns: Whether they are written.
  package func add(_ runs: [WatchedRun]) -> Bool {
    let isWritten = keeper.use(for: .writing) { connection throws(SQLiteError) in
      try WatchedRunTable(database: connection.database).write(runs, syncing: true, in: connection)
      return true
    }
    return isWritten == true
  }

  /// Closes the file; it is opened again if it is used afterwards.
  package func close() { keeper.close() }

  /// Whether the program that writes a run is alive and still watching.
  private func isAlive(_ run: WatchedRun, now: Duration) -> Bool {
    guard !run.isOver, run.boot == Int64(bitPattern: Boot.id), run.boot != 0 else { return false }
    let silence = now.milliseconds - run.begin - run.length
    guard silence <= WatchRecording.longestSilence.milliseconds else { return false }
    // This one's own lock does not show.
    guard run.watcher != Int64(watcher) else { return true }
    return keeper.isHeld(UInt64(run.watcher)) ?? true
  }
}
