import SondeSetup
import SondeAccounts
import SondeAlerts
import SondeAsking
import SondeDashboard
import SondeDashboardAPI
import SondeOptions
import SondeReachability
import SondeRecords
import SondeReport
import SondeStore
import SondeSystem
import SondeWeb

/// `sonde serve`: the dashboard and its HTTP API.
enum ServeCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let setup = ServeSetup(context)
    if let action = try ServeAction(context.operands, context) {
      return await ask(action, of: try setup.folder(), context)
    }
    Signals.endWithSuccess()
    try setup.check()
    try OutputChecks.check(context, against: [])
    let events = try ServerEventsFile(context)
    let services = try await DashboardSetup(context, events: events)
    let webhooks = try WebhookSetup(context).webhooks()
    let monitor = try setup.monitor()
    let server = try await setup.server(services, watching: monitor, alerting: webhooks)
    let control = try ControlSocket(in: try setup.folder())
    let opening = try await opening(of: server, context)
    let link = opening == .byLink ? try await server.makeLink() : nil
    setup.tell(of: server, opening)
    var written = ExitStatus.success
    if let link { written = await StandardOutput.write(link + "\n") }
    let isWritten = written == .success
    if context.options.tlsCertificate != nil { Signals.hangsUp { reload(setup, server) } }
    let (_, _) = await Signals.cancelling(watchesOutput: false) {
      guard isWritten else { return }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await serve(server, control, hasAccounts: context.options.team) }
        for webhook in webhooks { group.addTask { await deliver(webhook, watching: monitor) } }
        if let ledger = services.kept.ledger {
          group.addTask { await follow(ledger, for: monitor) }
        }
      }
    }
    for webhook in webhooks { await webhook.sayUndelivered() }
    await services.close()
    guard let error = events.error else { return written }
    context.console.error("\(error)")
    return .inputOutput
  }

  private static func deliver(_ webhook: Webhook, watching monitor: NetworkMonitor) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await webhook.run() }
      for await case .network(let transition) in monitor.events() {
        // Delivery does not need the shared server.
        let verdict = transition.verdict
        webhook.set(verdict == .offline(.sharedUnreachable) ? .online : verdict)
      }
    }
  }

  /// Shows an outage of the shared server on the page, as its scans do.
  private static func follow(_ ledger: any QuotaLedger, for monitor: NetworkMonitor) async {
    for await outage in ledger.outages() {
      monitor.report(outage: NetworkOutage(telling: outage))
    }
  }

  /// Reloads the certificate; keeps the old one if that fails.
  private static func reload(_ setup: ServeSetup, _ server: DashboardServer) {
    do {
      if let certificate = try setup.certificate() { try server.replace(certificate) }
      setup.console.note("the certificate was read again")
    } catch {
      let reason = (error as? UsageError)?.message ?? "\(error)"
      setup.console.error("the certificate stays as it was: \(reason)")
    }
  }

  /// How the page is opened.
  ///
  /// A link is shown only on a terminal, since a file or journal would expose it to other readers.
  private static func opening(
    of server: DashboardServer,
    _ context: Context
  ) async throws -> ServeSetup.Opening {
    let hasAdmin = try await server.accounts.users().contains(where: \.isAdmin)
    guard !context.options.team || !hasAdmin else { return .byLogIn }
    return context.writesToTerminal ? .byLink : .byCommand
  }

  private static func serve(
    _ server: DashboardServer,
    _ control: ControlSocket,
    hasAccounts: Bool
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await server.run() }
      group.addTask {
        await control.run { line in
          guard let action = ServeAction(line: line) else {
            return .failure(ControlError(reason: "this server does not know \(quoted(line))"))
          }
          do {
            return .success(try await action.perform(on: server, hasAccounts: hasAccounts))
          } catch {
            return .failure(ControlError(error))
          }
        }
      }
    }
  }

  private static func ask(
    _ action: ServeAction,
    of folder: String,
    _ context: Context
  ) async -> ExitStatus {
    let console = context.console
    guard let socket = try? ControlPlace(in: folder).connect() else {
      console.error("no sonde serve is at work on \(folder)")
      return .failed
    }
    let connection = ControlConnection(socket, patience: 10)
    connection.write("\(action.line)\n")
    let answer = connection.readAll() ?? "error the server does not answer"
    let kind = answer.prefix { $0 != " " }
    let words = answer.dropFirst(kind.count + 1)
    guard kind == "ok" else {
      console.error(String(words))
      return kind == "usage" ? .usage : .failed
    }
    return words.isEmpty ? .success : await StandardOutput.write("\(words)\n")
  }
}

extension ControlError {
  /// Why the server rejected a request.
  fileprivate init(_ error: any Error) {
    if let error = error as? ControlError {
      self = error
      return
    }
    switch error as? AccountError {
    case .adminExists:
      self.init(
        reason: "there is an admin, who invites others: sonde serve user invite",
        isUsage: true
      )
    case .notFound: self.init(reason: "no account has this email")
    default: self.init(reason: "\(error)")
    }
  }
}

extension User {
  var row: String {
    let moment = Timestamp(milliseconds: createdAt.milliseconds)
    let state = isDisabled ? "disabled" : isAdmin ? "admin" : "user"
    return "\(email)\t\(state)\t\(moment.wholeSeconds)"
  }
}
