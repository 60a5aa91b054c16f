package import SondeTransfer

/// A receiver of alerts: a URL, and the form of message that its service takes.
package struct WebhookTarget: Sendable {
  /// The time limit for an attempt.
  private static let limit = Duration.seconds(10)

  /// The URL as given, without the form: the identity of its queue.
  ///
  /// It may hold a key.
  package let url: String

  /// Scheme, host and port: what messages may show.
  package let shown: String

  private let form: WebhookForm

  /// What is asked for: the URL without a key that goes into the body, and with a path as the
  /// service wants it.
  private let requested: String

  /// The user in the URL, if the form takes it for a key.
  private let key: String

  /// The name of this machine, for alerts that were stored without one.
  private let host: String

  /// Creates a receiver with a form of messages, by default that of its host; reads the file of a
  /// template.
  ///
  /// `host` is the name of this machine.
  ///
  /// - Throws: ``WebhookError`` for an unknown form, a URL that is none or that the form cannot
  ///   use, and a template that is none; ``TransferError`` if libcurl cannot be loaded.
  package init(_ url: String, as name: String? = nil, host: String) throws {
    guard let endpoint = try Endpoint(url: url), let parts = URLParts(url) else {
      throw WebhookError("not an http:// or https:// URL")
    }
    form =
      try name.map { name throws(WebhookError) in try Self.form(named: name) }
      ?? WebhookForm.form(of: endpoint.host)
    (self.url, shown, self.host) = (url, redacted(url: url), host)
    key = form.takesKey ? parts.user : ""
    guard !form.takesKey || !key.isEmpty else {
      throw WebhookError("needs its key as the user: \(form.name)=https://KEY@HOST/PATH")
    }
    requested = parts.text(withUser: !form.takesKey, path: form.path(parts.path))
  }

  /// The request that delivers an alert in the form of ``Alert/stored``, or an event alone.
  ///
  /// `next` is the newest stored alert of the network that follows in the queue, if any: it tells
  /// whether this one is over.
  package func request(for stored: [UInt8], next: [UInt8]?) -> SondeTransfer.Request {
    guard let alert = Alert(stored: stored, host: host) else {
      return request(body: stored, headers: [])
    }
    let later = next.flatMap { Alert(stored: $0, host: host) }
    let message = WebhookMessage(alert, next: later, key: key)
    return request(body: form.body(message), headers: form.headers(message))
  }

  private func request(
    body: [UInt8],
    headers: [WebhookForm.Header]
  ) -> SondeTransfer.Request {
    var request = SondeTransfer.Request(url: requested, method: .post, body: body)
    (request.timeout, request.connectTimeout) = (Self.limit, Self.limit)
    request.headers = [("Content-Type", form.contentType)] + headers
    // Enough for the part of an answer that is reported; its status decides.
    request.maximumBody = 64 << 10
    request.acceptsPartialBody = true
    return request
  }
}

// MARK: - Reading

extension WebhookTarget {
  private static let templatePrefix = "template:"

  private static func form(named name: String) throws(WebhookError) -> WebhookForm {
    if let form = WebhookForm.all.first(where: { $0.name == name }) { return form }
    guard name.hasPrefix(templatePrefix), name.count > templatePrefix.count else {
      let names = WebhookForm.all.map(\.name).joined(separator: ", ")
      throw WebhookError(
        "unknown format '\(name.prefix(60))'; expected \(names) or template:FILE"
      )
    }
    let template = try MessageTemplate(path: String(name.dropFirst(templatePrefix.count)))
    return WebhookForm(name: name, contentType: template.contentType) { template.body(for: $0) }
  }
}

/// The parts of an `http` or `https` URL, each as it stands there.
private struct URLParts {
  private let scheme: Substring
  private let userAndPassword: Substring?
  private let authority: Substring

  /// What follows the authority: path, query and fragment.
  let path: Substring

  init?(_ url: String) {
    guard let slashes = url.firstRange(of: "://") else { return nil }
    scheme = url[..<slashes.upperBound]
    let rest = url[slashes.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let place = rest[..<end]
    let at = place.lastIndex(of: "@")
    userAndPassword = at.map { place[..<$0] }
    authority = at.map { place[place.index(after: $0)...] } ?? place
    path = rest[end...]
  }

  /// The user, decoded; empty without one.
  var user: String {
    let user = userAndPassword?.prefix { $0 != ":" } ?? ""
    return percentDecoded(user)
  }

  func text(withUser: Bool, path: Substring) -> String {
    let user = withUser ? userAndPassword.map { "\($0)@" } ?? "" : ""
    return "\(scheme)\(user)\(authority)\(path)"
  }
}

/// A text with its escapes decoded (RFC 3986 §2.1).
private func percentDecoded(_ text: Substring) -> String {
  var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
  while let byte = rest.popFirst() {
    let digits = String(decoding: rest.prefix(2), as: UTF8.self)
    if byte == UInt8(ascii: "%"), digits.count == 2,
      digits.allSatisfy(\.isHexDigit), let code = UInt8(digits, radix: 16)
    {
      bytes.append(code)
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// Why the user's webhook cannot be used: a mistake in the use of the program (status 2).
package struct WebhookError: Error, Equatable {
  /// The reason, to follow the name of the option and a colon; it shows no part of the URL.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
