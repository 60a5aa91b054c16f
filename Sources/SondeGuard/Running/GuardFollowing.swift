package import SondeAlerts
package import SondeAsking
package import SondeInputs
package import SondeOptions
import SondeFollow
import SondeReachability
import SondeRecords
package import SondeReport
package import SondeSystem
import SondeWeb

/// Follows logs, raises alerts and hands them over, until it is cancelled or all is read.
package struct GuardFollowing: Sendable {
  /// How often the network is looked at.
  private static let pace = Duration.milliseconds(250)
  /// How often is looked whether all is done.
  private static let shortPace = Duration.milliseconds(50)
  /// The time after which alerts that are in no queue are handed over again.
  private static let pause = Duration.seconds(1)

  private let work: GuardWork
  private let chain: ProviderChain
  private let printer: GuardPrinter
  private let end: GuardEnd
  private let host: String
  /// How alerts are handed over.
  private let alarms: Alarms
  private let heartbeat: Heartbeat?
  /// The number of requests at a time.
  private let atOnce: Int

  /// `host` is the name of this machine in alerts.
  package init(
    _ work: GuardWork,
    _ chain: ProviderChain,
    _ printer: GuardPrinter,
    _ end: GuardEnd,
    _ alarms: Alarms,
    _ heartbeat: Heartbeat?,
    host: String,
    atOnce: Int
  ) {
    (self.work, self.chain, self.printer, self.end) = (work, chain, printer, end)
    (self.alarms, self.heartbeat, self.host, self.atOnce) = (alarms, heartbeat, host, atOnce)
  }

  /// Runs until cancelled or, if it `ends`, until all files and the input are read and each alert was
  /// tried.
  package func run(
    until ends: Bool,
    reading input: StandardLines?,
    _ journal: JournalLines?
  ) async -> ExitStatus {
    // At the end, each alert is tried once more, never twice at a time.
    let isLive = !ends || input != nil
    if journal != nil { await work.openInput() }
    let webhooks = Task { [alarms] in if isLive { await alarms.runWebhooks() } }
    let status = await withTaskGroup(of: ExitStatus?.self) { group in
      if let input {
        await work.openInput()
        group.addTask { await trying { try await take(input) } }
      }
      if let journal {
        group.addTask { await trying { try await take(journal, until: ends) } }
      }
      group.addTask {
        await trying {
          guard try await read(until: ends) else { return nil }
          return try await finish(webhooks)
        }
      }
      group.addTask { await trying { try await judge() } }
      group.addTask { await trying { try await place() } }
      for destination in destinations {
        group.addTask { await trying { try await deliver(to: destination, until: ends) } }
      }
      group.addTask {
        await watch()
        return nil
      }
      group.addTask {
        await heartbeat?.run()
        return nil
      }
      var status: ExitStatus?
      while status == nil, let ended = await group.next() { status = ended }
      group.cancelAll()
      return status ?? .success
    }
    webhooks.cancel()
    await webhooks.value
    _ = await trying { try await settleDelivered() }
    await alarms.end(areKept: work.isKept)
    if !ends {
      _ = end.status(
        undecided: await work.undecided,
        leftOut: await work.leftOut,
        hasFailed: false
      )
    }
    return status
  }

  private func trying(_ body: () async throws -> ExitStatus?) async -> ExitStatus? {
    do { return try await body() } catch is CancellationError { return nil } catch {
      return end.status(of: error)
    }
  }

  // MARK: - The tasks

  /// Reads until cancelled or, if it `ends`, to the end; returns whether that was reached.
  private func read(until ends: Bool) async throws -> Bool {
    let eyes = try FileEyes(work.watch)
    return try await withTaskCancellationHandler {
      var changes: FileChanges?
      var isSecondLook = false
      while !Task.isCancelled {
        let isOpen = await work.isInputOpen
        if try await work.step(after: changes) {
          changes = FileChanges()
          continue
        }
        if ends, !isOpen {
          if isSecondLook { return true }
          guard await work.wantsSecondLook else { return true }
          (isSecondLook, changes) = (true, nil)
          continue
        }
        changes = ends ? await eyes.changes(within: Self.shortPace) : await eyes.changes()
      }
      return false
    } onCancel: {
      eyes.stop()
    }
  }

  private func take(_ journal: JournalLines, until ends: Bool) async throws -> ExitStatus? {
    try await withTaskCancellationHandler {
      let cursor = try await journal.open(behind: try await work.journalCursor())
      try await work.take(JournalLines.Batch(cursor: cursor))
      while !Task.isCancelled {
        if await !work.hasRoom {
          try await Task.sleep(for: Self.pace)
        } else if let batch = await journal.next() {
          try await work.take(batch)
        } else if ends {
          await work.closeInput()
          return nil
        } else {
          try await journal.wait()
        }
      }
      return nil
    } onCancel: {
      journal.stop()
    }
  }

  private func take(_ input: StandardLines) async throws -> ExitStatus? {
    try await withTaskCancellationHandler {
      while case let lines = await input.next(), !lines.isEmpty {
        try await work.take(lines, from: input.name)
      }
      if !Task.isCancelled { await work.closeInput() }
      return nil
    } onCancel: {
      input.stop()
    }
  }

  /// Waits until each hit is judged and each alert was tried.
  private func finish(_ webhooks: Task<Void, Never>) async throws -> ExitStatus {
    try await work.finish()
    while try await !work.isIdle() { try await Task.sleep(for: Self.shortPace) }
    webhooks.cancel()
    await webhooks.value
    await alarms.deliverOnce()
    await work.tellLack()
    return end.status(
      undecided: await work.undecided,
      leftOut: await work.leftOut,
      hasFailed: await work.hasUnreadable
    )
  }

  private func judge() async throws -> ExitStatus? {
    for await _ in work.hitsWait.rings() {
      while let batch = try await work.waiting() {
        let found = try await chain.answers(about: batch.open, atOnce: atOnce)
        try await work.judge(batch, found)
      }
    }
    return nil
  }

  /// Asks about the addresses of alerts, so that a slow answer holds up no other's question.
  private func place() async throws -> ExitStatus? {
    try await withThrowingTaskGroup(of: [SubjectKey].self) { group in
      var (last, requests, asked): (Int64, Int, Set<SubjectKey>) = (0, 0, [])
      for await _ in work.alertsWait.rings() {
        while case let alerts = try await work.unplaced(behind: last), !alerts.isEmpty {
          for part in alerts.parts(of: max(1, chain.batchLimit)) {
            while requests >= max(1, atOnce) || !asked.isDisjoint(with: part.subjects),
              let answered = try await group.next()
            {
              asked.subtract(answered)
              requests -= 1
            }
            asked.formUnion(part.subjects)
            requests += 1
            group.addTask { try await place(part) }
          }
          last = alerts.last?.number ?? last
        }
      }
    }
    return nil
  }

  /// Asks about some addresses for the time that their alerts have left; returns what was asked.
  private func place(_ part: AlertPart) async throws -> [SubjectKey] {
    let wait = part.alerts.first?.wait ?? .zero
    let answers = try await chain.answers(about: part.subjects, atOnce: 1, within: wait)
    try await work.place(part.alerts, by: answers)
    return part.subjects
  }

  /// A way to hand alerts over.
  private struct Destination: Sendable {
    let way: WaitingAlert.Way
    /// How many are handed over together: what is known again by its ID need not go one by one.
    var atOnce = 1
    /// Returns false if alerts must be handed over again, or the program ends before.
    let hand: @Sendable ([GuardEvent]) async throws -> Bool
  }

  private var destinations: [Destination] {
    let alert = { @Sendable [host] (event: GuardEvent) in Alert(event.json, host: host) }
    let printed = Destination(way: .printed) { events in
      for event in events { try await printer.write(event) }
      return true
    }
    let queued = Destination(way: .queued, atOnce: WaitingAlert.mostAtOnce) { [alarms] events in
      await alarms.queue(events.map(alert))
    }
    let locals = zip([WaitingAlert.Way.first, .second], alarms.locals).map { way, local in
      Destination(way: way) { events in
        for event in events where await !local.alarm.raise(alert(event)) { return false }
        return true
      }
    }
    return [printed, queued] + locals
  }

  private func deliver(
    to destination: Destination,
    until ends: Bool
  ) async throws -> ExitStatus? {
    let (way, most) = (destination.way, destination.atOnce)
    // Numbers only grow, and in their order alerts are handed over.
    var last: Int64 = 0
    for await _ in work.alertsWait.rings() {
      while case let alerts = try await work.alerts(for: way, behind: last, atMost: most),
        let end = alerts.last?.number
      {
        let isDone = try await hand(alerts, to: destination)
        if !isDone, !ends {
          try await Task.sleep(for: Self.pause)
          continue
        }
        if !isDone { await work.noteTried(upTo: end) }
        last = end
      }
    }
    return nil
  }

  /// Hands alerts over, and forgets them if that is done.
  private func hand(_ alerts: [WaitingAlert], to destination: Destination) async throws -> Bool {
    // One that cannot be read is passed over.
    guard try await destination.hand(alerts.compactMap { GuardEvent($0.event) }) else {
      return false
    }
    try await work.settle(alerts, for: destination.way)
    return true
  }

  /// Forgets the alerts that could not be queued, but were delivered.
  private func settleDelivered() async throws -> ExitStatus? {
    guard let queued = destinations.first(where: { $0.way == .queued }) else { return nil }
    var last: Int64 = 0
    while let alert = try await work.alerts(for: .queued, behind: last, atMost: 1).first {
      _ = try await hand([alert], to: queued)
      last = alert.number
    }
    return nil
  }

  /// Lets the webhooks and the heartbeat know the state of the network.
  private func watch() async {
    var known: Verdict?
    while !Task.isCancelled {
      let verdict: Verdict? = chain.networkStatus.map { $0.state?.verdict } ?? .online
      if let verdict, verdict != known {
        known = verdict
        // Delivery does not need the shared server.
        let own = verdict == .offline(.sharedUnreachable) ? .online : verdict
        alarms.set(own)
        heartbeat?.hear(own)
      }
      try? await Task.sleep(for: Self.pace)
    }
  }
}

/// The lines of an input that is read to its end, on a thread of its own.
package actor StandardLines {
  private static let most = 4096

  private let executor = BlockingExecutor(label: "sonde.input")
  private let lines: TextLines
  private nonisolated let interrupt: WakePipe
  package nonisolated let name: String

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens an input; a wait for it ends when `interrupt` is rung.
  ///
  /// - Throws: ``InputError``.
  package init(_ input: Input, interruptedBy interrupt: WakePipe) throws(InputError) {
    lines = try TextLines(input, interruptedBy: interrupt)
    (name, self.interrupt) = (input.name, interrupt)
  }

  /// Ends the wait for lines.
  nonisolated func stop() { interrupt.ring() }

  /// The next line and those that are there already; empty at the end.
  func next() -> [ArraySlice<UInt8>] {
    var all: [ArraySlice<UInt8>] = []
    while all.isEmpty || all.count < Self.most && lines.isReady, let line = lines.next() {
      all.append(line)
    }
    return all
  }
}
