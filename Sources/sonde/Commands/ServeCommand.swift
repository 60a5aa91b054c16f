import Dashboard
import Scanner
import System
import Web

/// What `sonde serve` can ask of a running server.
enum ServeAction: String, CaseIterable, Sendable {
  case link
}

/// `sonde serve`: the dashboard and its HTTP API.
enum ServeCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let setup = ServeSetup(context)
    if let action = context.operands.first.flatMap(ServeAction.init(rawValue:)) {
      return await ask(action, of: try setup.folder(), context.console)
    }
    try OutputChecks.check(context, against: [])
    let events = try EventLog(context)
    let services = DashboardSetup(context, events: events)
    let server = try await setup.server(services)
    let control = try ControlSocket(in: try setup.folder())
    setup.tell(of: server)
    let written = await StandardOutput.write(try await server.makeLink() + "\n")
    let (_, _) = await Signals.cancelling(watchesOutput: false, always: .success) {
      guard written == .success else { return }
      await serve(server, control)
    }
    await services.close()
    guard let error = events.error else { return written }
    context.console.error("\(error)")
    return .inputOutput
  }

  private static func serve(_ server: DashboardServer, _ control: ControlSocket) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await server.run() }
      group.addTask {
        await control.run { line in
          guard line == ServeAction.link.rawValue else {
            return .failure(ControlError(reason: "this server does not know \(quoted(line))"))
          }
          do {
            return .success(try await server.makeLink())
          } catch {
            return .failure(ControlError(reason: "\(error)"))
          }
        }
      }
    }
  }

  private static func ask(
    _ action: ServeAction,
    of folder: String,
    _ console: Console
  ) async -> ExitStatus {
    guard let socket = try? ControlPlace(in: folder).connect() else {
      console.error("no sonde serve is at work on \(folder)")
      return .failed
    }
    let connection = ControlConnection(socket, patience: 10)
    connection.write("\(action.rawValue)\n")
    let words = (connection.readLine() ?? "error the server does not answer")
      .split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0] == "ok" else {
      console.error(words.count == 2 ? String(words[1]) : "the server does not answer")
      return .failed
    }
    return await StandardOutput.write("\(words[1])\n")
  }
}
