import Glibc
import SondeReachability
import SondeTransfer
import SondeWeb
import Synchronization
import TestSupport
import Testing

@testable import SondeAlerts
@testable import SondeOptions
@testable import SondeSetup
@testable import sonde

@Suite(.timeLimit(.minutes(1))) struct WebhookTests {
  private func webhook(_ url: String, in folder: ScratchFolder) throws -> Webhook {
    var options = Options()
    options.webhooks = [WebhookReceiver(url: url)]
    let invocation = Invocation(command: .watch, operands: [], options: options)
    let context = Context(invocation, environment: ["HOME": folder.path])
    return try #require(WebhookSetup(context).webhooks().first)
  }

  @Test func `an alert that is refused holds up no later one`() async throws {
    let folder = try ScratchFolder()
    let server = try ScriptedServer { question, _ in
      .init(status: question.body.contains("refused") ? 400 : 204)
    }
    let webhook = try webhook(server.url, in: folder)
    webhook.set(Verdict.online)
    for name in ["first", "refused", "last"] {
      _ = await webhook.raise(Alert(["event": .string(name)], host: "gate.example"))
    }
    await webhook.deliver()
    let names = ["first", "refused", "last"]
    let bodies = server.questions.map(\.body)
    #expect(bodies.count == 3)
    #expect(zip(bodies, names).allSatisfy { $0.hasPrefix("{\"event\":\"\($1)\"") })
  }

  @Test func `an answer that is on its way when the program ends is awaited`() async throws {
    let folder = try ScratchFolder()
    let server = try ScriptedServer { _, _ in
      usleep(300_000)
      return .init(status: 204)
    }
    let webhook = try webhook(server.url, in: folder)
    webhook.set(Verdict.online)
    _ = await webhook.raise(Alert(["event": "test"], host: "gate.example"))
    let task = Task { await webhook.run() }
    while server.questions.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    await task.value
    let again = try self.webhook(server.url, in: folder)
    again.set(Verdict.online)
    await again.deliver()
    #expect(server.questions.count == 1)
  }
}
