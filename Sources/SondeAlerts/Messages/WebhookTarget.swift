package import SondeTransfer
import SondeWeb

/// A receiver of alerts: a URL, and the form of message that its service takes.
package struct WebhookTarget: Sendable {
  /// The URL as given, without the form: the identity of its queue.
  ///
  /// It may hold a key.
  package let url: String

  /// Scheme, host and port: what messages may show.
  package let shown: String

  /// The name of this machine, for alerts that were stored without one.
  private let host: String

  /// Reads `[FORMAT=]URL`.
  ///
  /// `host` is the name of this machine.
  ///
  /// - Throws: ``WebhookError`` for an unknown form, a URL that is none, or one that the form
  ///   cannot use.
  package init(_ text: String, host: String) throws(WebhookError) {
    (url, self.host) = (text, host)
    guard (try? Endpoint(url: url)) ?? nil != nil else {
      throw WebhookError("is not an http:// or https:// URL")
    }
    shown = redacted(url: url)
  }

  /// The request that delivers an alert in the form of ``Alert/stored``, or an event alone.
  ///
  /// `next` is the newest stored alert of the network that follows in the queue, if any: it tells
  /// whether this one is over.
  package func request(for stored: [UInt8], next: [UInt8]?) -> SondeTransfer.Request {
    let alert = Alert(stored: stored, host: host)
    let body = alert?.event.bytes ?? stored
    var request = SondeTransfer.Request(url: url, method: .post, body: body)
    request.headers = [("Content-Type", "application/json")]
    // Alerts are rare, and pooled connections may be dead since the last loss.
    request.isFreshConnection = true
    request.maximumBody = 1 << 20
    return request
  }
}

/// Why the user's webhook cannot be used: a mistake in the use of the program (status 2).
package struct WebhookError: Error, Equatable {
  /// The reason, to follow the name of the option; it shows no part of the URL.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
