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

  /// How long runs are kept.
  package static let keeping = Duration.seconds(400 * 86_400)

  private let executor = BlockingExecutor(label: "sonde.outages")
  private let keeper: DatabaseKeeper
  private let watcher = UInt64.random(in: 1..<1 << 62)
  private var recording: WatchRecording?

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
  ///   - onReturn: Receives the first state if it is online, and the endpoint's last watch ended
  ///     offline.
  package nonisolated func keep(
    _ events: AsyncStream<NetworkEvent>,
    of endpoint: String,
    by program: String,
    onReturn: @escaping @Sendable (NetworkTransition) -> Void = { _ in }
  ) async {
    await begin(endpoint, program)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while (try? await Task.sleep(for: Self.pulse)) != nil { await self.live() }
      }
      for await case .network(let transition) in events {
        if let returned = await take(transition) { onReturn(returned) }
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

  /// Notes a change; returns the one to report if it ends an outage whose end was not observed.
  private func take(_ transition: NetworkTransition) -> NetworkTransition? {
    guard var recording else { return nil }
    let isFirst = recording.isEmpty
    let last = isFirst && transition.verdict.isOnline ? lastOutage(of: recording) : nil
    recording.take(WatchedFinding(transition), from: transition.began, now: .now)
    self.recording = recording
    write(isChange: true)
    return last.map { transition.returning(from: $0) }
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

  private func lastOutage(of recording: WatchRecording) -> WatchedRun? {
    let runs = keeper.use(for: .reading) { connection throws(SQLiteError) in
      try WatchedRunTable(database: connection.database)
        .lastRuns(of: recording.endpoint, by: recording.program)
    }
    return runs?.first { run in
      run.state == .offline && !run.isOver && !isAlive(run, now: Clocks.steady)
    }
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

extension NetworkTransition {
  /// This first state, as the return from an outage that ended while nobody watched.
  func returning(from run: WatchedRun) -> NetworkTransition {
    var transition = self
    transition.previous = .offline(run.cause.flatMap(OfflineCause.init) ?? .unreachable)
    transition.lost = Moment(
      steady: began.steady - .milliseconds(max(1, run.length)),
      wall: .milliseconds(run.wall)
    )
    transition.interface = interface ?? run.interface
    transition.isEndUnseen = true
    return transition
  }
}
