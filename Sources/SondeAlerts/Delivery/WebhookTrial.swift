package import SondeReachability
import SondeSystem
package import SondeTransfer

/// Sends an alert to a webhook at once, without its queue.
package struct WebhookTrial: TestableAlarm {
  private let target: WebhookTarget
  private let client: HTTPClient
  private let verdict: Verdict?

  /// `verdict` is the state of the network, if it is known.
  package init(to target: WebhookTarget, client: HTTPClient, verdict: Verdict?) {
    (self.target, self.client, self.verdict) = (target, client, verdict)
  }

  package func attempt(_ alert: Alert) async -> AlertAttempt {
    do {
      let endpoint = try Endpoint(url: target.url)
      let isSecure = endpoint?.isSecure == true
      let isExposed = !isSecure && endpoint?.isLoopback != true
      guard !isExposed || verdict?.cause != .captivePortal else {
        return AlertAttempt(isTaken: false, words: "not sent: a login page would take it")
      }
      var request = target.request(for: alert.stored, next: nil)
      request.headers.append(("Idempotency-Key", AlertName(number: 0).key))
      let response = try await client.send(request)
      let now = Clocks.wall.components.seconds
      let consequence = Consequence(of: response, isSecure: isSecure, now: now)
      let answer = SondeAlerts.words(of: response, from: target.url)
      let words = "HTTP \(response.status)\(answer.isEmpty ? "" : ": \(answer)")"
      return AlertAttempt(isTaken: consequence == .delivered, words: words)
    } catch {
      let words = (error as? TransferError)?.words ?? "\(error)"
      return AlertAttempt(isTaken: false, words: words)
    }
  }
}
