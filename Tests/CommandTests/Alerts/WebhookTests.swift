import TestSupport
import Testing

@testable import SondeAlerts
@testable import SondeOptions
@testable import sonde

@Suite(.timeLimit(.minutes(1))) struct WebhookTests {
  @Test func `an alert that is refused holds up no later one`() async throws {
    let folder = try ScratchFolder()
    let server = try ScriptedServer { question, _ in
      .init(status: question.body.contains("refused") ? 400 : 204)
    }
    let invocation = Invocation(command: .watch, operands: [], options: Options())
    let context = Context(invocation, environment: ["HOME": folder.path])
    let webhook = try await Webhook(url: server.url, context, endpoint: "test")
    webhook.setOnline(true)
    for name in ["first", "refused", "last"] {
      await webhook.append(Array("{\"event\":\"\(name)\"}".utf8))
    }
    await webhook.deliver()
    let bodies = server.questions.map(\.body)
    #expect(bodies.first == "{\"event\":\"first\"}")
    // It is tried again for ever, and all that come after it wait.
    withKnownIssue { #expect(bodies.last == "{\"event\":\"last\"}") }
  }
}
