import Dispatch
import Glibc
import SondeAsking
import SondeOptions
import SondeOutputs
import SondeReachability
import SondeReport

/// A monitor and the receivers of its reports.
struct Watch: Sendable {
  /// How long a stalled reader of stdout can delay the exit.
  private static let grace = DispatchTimeInterval.seconds(2)

  private let monitor: NetworkMonitor
  private let alarms: Alarms
  private let output = Sink()
  private let isText: Bool
  private let isColored: Bool
  private let console: Console
  /// Keeps the metrics server running.
  private let metrics: MetricsServer?

  init(_ context: Context) throws {
    let setup = WatchSetup(context)
    let endpoint = try setup.endpoint()
    alarms = try Alarms(context, endpoint: "\(endpoint)")
    monitor = try setup.monitor(of: endpoint)
    metrics = try context.options.metrics.map { [monitor] in
      try MetricsServer(on: $0) { Metrics.text(of: monitor.currentStatus) }
    }
    let format = context.options.watchFormat ?? (context.writesToTerminal ? .text : .ndjson)
    isText = format == .text
    isColored = context.colorsOutput
    console = context.console
    if let metrics { console.note("metrics are served at http://\(metrics.address)/metrics") }
  }

  /// Reports the first state and ends.
  func once() async -> ExitStatus {
    for await transition in monitor.states() {
      let written = await write(.network(transition))
      alarms.raise(transition)
      await alarms.finish()
      if let written { return written }
      return transition.verdict.isOnline ? .success : .networkLost
    }
    return .success
  }

  /// Reports until cancelled or until the reader has gone.
  func run() async -> ExitStatus {
    // Two separate streams, so that a stalled reader of stdout delays no alert.
    let (printed, alerted) = (monitor.events(), monitor.events())
    return await withTaskCancellationHandler {
      await withTaskGroup(of: ExitStatus?.self) { group in
        group.addTask { await write(all: printed) }
        group.addTask {
          await alarms.run(); return nil
        }
        group.addTask {
          for await case .network(let transition) in alerted { alarms.raise(transition) }
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
      if case .interface = event, early != nil {
        early?.append(event)
        continue
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
