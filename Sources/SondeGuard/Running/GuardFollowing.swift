package import SondeAlerts
package import SondeAsking
package import SondeInputs
package import SondeOptions
import SondeReachability
package import SondeReport
package import SondeSystem
import SondeWeb

/// Follows logs, raises alerts and hands them over, until it is cancelled or all is read.
package struct GuardFollowing: Sendable {
  /// How often files are looked at.
  private static let pace = Duration.milliseconds(250)
  /// How often waiting hits and alerts are looked for.
  private static let shortPace = Duration.milliseconds(50)

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
  package func run(until ends: Bool, reading input: StandardLines?) async -> ExitStatus {
    // At the end, each alert is tried once more, never twice at a time.
    let isLive = !ends || input != nil
    let webhooks = Task { [alarms] in if isLive { await alarms.runWebhooks() } }
    let status = await withTaskGroup(of: ExitStatus?.self) { group in
      if let input {
        await work.openInput()
        group.addTask { await trying { try await take(input) } }
      }
      group.addTask {
        await trying {
          guard try await read(until: ends) else { return nil }
          return try await finish(webhooks)
        }
      }
      group.addTask { await trying { try await judge() } }
      group.addTask { await trying { try await place() } }
      for (way, hand) in destinations {
        group.addTask { await trying { try await deliver(way, hand) } }
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
    await alarms.end()
    end.report(overlong: await work.overlong)
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
    while !Task.isCancelled {
      let isOpen = await work.isInputOpen
      guard try await !work.step() else { continue }
      if ends, !isOpen { return true }
      try await Task.sleep(for: ends ? Self.shortPace : Self.pace)
    }
    return false
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
    return end.status(
      undecided: await work.undecided,
      leftOut: await work.leftOut,
      hasFailed: false
    )
  }

  private func judge() async throws -> ExitStatus? {
    while !Task.isCancelled {
      guard let batch = try await work.waiting() else {
        try await Task.sleep(for: Self.shortPace)
        continue
      }
      let found = try await chain.answers(about: batch.open, atOnce: atOnce)
      try await work.judge(batch, found)
    }
    return nil
  }

  /// Asks about the addresses of alerts.
  private func place() async throws -> ExitStatus? {
    try await eachTime {
      let alerts = try await work.unplaced()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for alert in alerts {
          group.addTask { try await work.place(alert, await alert.placed(by: chain)) }
        }
        try await group.waitForAll()
      }
      return alerts.count
    }
  }

  /// Runs a body when there may be new alerts, and again while it finds some.
  private func eachTime(_ body: () async throws -> Int) async throws -> ExitStatus? {
    var seen = 0
    while !Task.isCancelled {
      let mark = await work.alertMark
      if mark == seen {
        try await Task.sleep(for: Self.shortPace)
      } else if try await body() == 0 {
        seen = mark
      }
    }
    return nil
  }

  private typealias Handing = @Sendable (GuardEvent) async throws -> Bool

  private var destinations: [(WaitingAlert.Way, Handing)] {
    let alert = { @Sendable [host] (event: GuardEvent) in Alert(event.json, host: host) }
    var all: [(WaitingAlert.Way, Handing)] = [
      (
        .printed,
        { event in
          try await printer.write(event)
          return true
        }
      ),
      (.queued, { [alarms] event in await alarms.queue(alert(event)) }),
    ]
    for (way, local) in zip([WaitingAlert.Way.first, .second], alarms.locals) {
      all.append((way, { event in await local.alarm.raise(alert(event)) }))
    }
    return all
  }

  private func deliver(_ way: WaitingAlert.Way, _ hand: Handing) async throws -> ExitStatus? {
    try await eachTime {
      guard let waiting = try await work.alert(for: way) else { return 0 }
      // One that cannot be read is passed over.
      if let event = GuardEvent(waiting.event), try await !hand(event) { return 0 }
      try await work.settle(waiting, for: way)
      return 1
    }
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
  func next() -> [[UInt8]] {
    var all: [[UInt8]] = []
    while all.isEmpty || all.count < Self.most && lines.isReady, let line = lines.next() {
      all.append(line)
    }
    return all
  }
}
