import Dispatch
import Glibc
import SondeSetup
import SondeAlerts
import SondeAsking
import SondeOptions
import SondeOutputs
import SondeReachability
import SondeReport

/// The monitors of the paths and the receivers of their reports.
struct Watch: Sendable {
  /// How long a stalled reader of stdout can delay the exit.
  private static let grace = DispatchTimeInterval.seconds(2)

  private let network: EndpointGroup
  private let alarms: Alarms
  private let heartbeat: Heartbeat?
  /// `nil` without a home directory.
  private let history: OutageHistory?
  /// The state in which an earlier watch of the endpoint ended, unless it was online.
  private let unended: UnendedState?
  private let endpoint: String
  private let output = Sink()
  private let isText: Bool
  private let isColored: Bool
  private let console: Console
  /// Keeps the metrics server running.
  private let metrics: MetricsServer?

  init(_ context: Context) async throws {
    let setup = WatchSetup(context)
    let endpoints = try setup.endpoints()
    alarms = try context.alarms()
    heartbeat = try setup.heartbeat()
    endpoint = endpoints.map(\.description).joined(separator: " ")
    history = context.options.once ? nil : OutageHistory(context)
    // Before this watch writes to the history.
    unended = await history?.unendedState(of: endpoint, by: "watch")
    network = try setup.group(of: endpoints, after: unended)
    metrics = try context.options.metrics.map { [network] in
      try MetricsServer(on: $0) {
        Metrics.text(of: network.currentStatus, endpoints: network.endpointStatuses)
      }
    }
    let format = context.options.watchFormat ?? (context.writesToTerminal ? .text : .ndjson)
    isText = format == .text
    isColored = context.colorsOutput
    console = context.console
    if let metrics { console.note("metrics are served at http://\(metrics.address)/metrics") }
  }

  /// Reports the first state and ends.
  func once() async -> ExitStatus {
    guard let transition = await network.firstState() else { return .success }
    let written = await write(.network(transition))
    alarms.raise(transition)
    await heartbeat?.beatOnce(in: transition.verdict)
    await alarms.finish()
    return written ?? (transition.verdict.isOnline ? .success : .networkLost)
  }

  /// Reports until cancelled or until the reader has gone.
  func run() async -> ExitStatus {
    // Separate streams, so that a stalled reader of stdout delays no alert, nor does a slow disk. What
    // is printed is on its way to the others by then, whatever ends the program.
    let (kept, alerted, printed) = (network.events(), network.events(), network.events())
    alarms.resume(after: unended)
    return await withTaskCancellationHandler {
      await withTaskGroup(of: ExitStatus?.self) { group in
        group.addTask { await write(all: printed) }
        group.addTask {
          for await case .network(let transition) in alerted {
            alarms.raise(transition)
            heartbeat?.hear(transition.verdict)
          }
          return nil
        }
        group.addTask {
          async let sent: Void = alarms.run()
          async let beaten: Void? = heartbeat?.run()
          async let watched: Void = network.run()
          async let recorded: Void? = history?.keep(kept, of: endpoint, by: "watch")
          _ = await (sent, beaten, watched, recorded)
          return nil
        }
        var status: ExitStatus?
        while status == nil, let ended = await group.next() { status = ended }
        group.cancelAll()
        return status ?? .success
      }
    } onCancel: {
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.grace) {
        _exit(ExitStatus.success.rawValue)
      }
    }
  }

  /// Writes every event, the initial state first.
  private func write(all events: AsyncStream<NetworkEvent>) async -> ExitStatus? {
    var early: [NetworkEvent]? = []
    for await event in events {
      if early != nil {
        guard case .network = event else {
          early?.append(event)
          continue
        }
      }
      for event in [event] + (early ?? []) {
        if let failure = await write(event) { return failure }
      }
      early = nil
    }
    return nil
  }

  /// The event as text; on a terminal, whose width may change, wrapped at words.
  private func text(of event: NetworkEvent) -> String {
    event.text(colored: isColored, width: terminalWidth(of: STDOUT_FILENO) ?? .max)
  }

  /// - Returns: The status to end with; `nil` to continue.
  private func write(_ event: NetworkEvent) async -> ExitStatus? {
    let line = isText ? Array((text(of: event) + "\n").utf8) : event.json
    do throws(OutputError) {
      try await output.write(line)
      return nil
    } catch {
      guard !error.isClosedPipe else { return .success }
      console.error("\(error)")
      return .inputOutput
    }
  }
}
