import SondeSystem
import SondeWeb

/// A user's file with places for the values of an alert: `{{NAME}}`, `{{json NAME}}` and
/// `{{url NAME}}`.
struct MessageTemplate: Sendable, Equatable {
  /// The largest file, in bytes.
  static let longest = 1 << 20

  private enum Piece: Equatable {
    case text(String)
    case value(name: String, Coding)
  }

  /// How a value is written.
  private enum Coding: String {
    /// As it is.
    case text
    /// As a JSON value with its quotes; `null` without one.
    case json
    /// Percent-encoded (RFC 3986 §2.1).
    case url
    /// As a part of a string in JSON: a value in a `.json` between quotes.
    case quoted
  }

  /// What values there are: the members of all events that raise alerts, and of messages.
  static let names: Set<String> = [
    "event", "at", "state", "previous", "cause", "interface", "endpoint", "message", "down_ms",
    "degraded_ms", "loss", "connect_ms", "id", "name", "address", "note", "record", "checked_at",
    "changes", "host", "title", "summary", "time", "first", "count", "key", "ip", "input", "text",
    "country_code", "country", "city", "asn", "as_name", "before", "from", "km", "kmh",
  ]

  /// The media type, by the ending of the file.
  let contentType: String

  private let pieces: [Piece]

  /// Reads a template; `path` is the name of its file.
  ///
  /// - Throws: ``WebhookError`` for text that is not UTF-8, a place that is none, an unknown name,
  ///   and a `.json` that makes no JSON.
  init(_ bytes: [UInt8], path: String) throws(WebhookError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw WebhookError("\(path): not UTF-8 text")
    }
    let ending = path.lowercased()
    let isJSON = ending.hasSuffix(".json")
    contentType =
      isJSON
      ? "application/json"
      : ending.hasSuffix(".form")
        ? "application/x-www-form-urlencoded" : "text/plain; charset=utf-8"
    do throws(WebhookError) {
      pieces = try Self.pieces(of: text, isJSON: isJSON)
    } catch {
      throw WebhookError("\(path): \(error.reason)")
    }
    guard isJSON else { return }
    let makesJSON = WebhookMessage.samples.allSatisfy { (try? JSON(parsing: body(for: $0))) != nil }
    guard makesJSON else {
      throw WebhookError(
        "\(path): with some values this makes no JSON; {{json NAME}} without quotes around it "
          + "always does"
      )
    }
  }

  /// Reads a file as a template.
  ///
  /// - Throws: ``WebhookError``, also for a file that cannot be read.
  init(path: String) throws(WebhookError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try WholeFile(path: path).read(atMost: Self.longest)
    } catch {
      throw WebhookError("\(path): \(error)")
    }
    try self.init(bytes, path: path)
  }

  /// The template with the values of an alert.
  func body(for message: WebhookMessage) -> [UInt8] {
    var output = ""
    for piece in pieces {
      switch piece {
      case .text(let text): output += text
      case .value(let name, let coding): output += Self.written(message.value(of: name), as: coding)
      }
    }
    return Array(output.utf8)
  }

  private static func written(_ value: JSON, as coding: Coding) -> String {
    let json = String(decoding: value.bytes, as: UTF8.self)
    let text = value.text ?? (value == .null ? "" : json)
    return switch coding {
    case .text: text
    case .json: json
    case .url:
      text.utf8.map { isUnreserved($0) ? String(UnicodeScalar($0)) : percentEncoded($0) }
        .joined()
    case .quoted:
      String(String(decoding: JSON.string(text).bytes, as: UTF8.self).dropFirst().dropLast())
    }
  }

  /// Whether a byte needs no encoding in a URL (RFC 3986 §2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "0"..."9", "A"..."Z", "a"..."z", "-", ".", "_", "~": true
    default: false
    }
  }
}

// MARK: - Reading

extension MessageTemplate {
  private static func pieces(of text: String, isJSON: Bool) throws(WebhookError) -> [Piece] {
    var pieces: [Piece] = []
    var rest = text[...]
    var quotes = JSONQuotes()
    while let start = rest.firstRange(of: "{{") {
      let before = rest[..<start.lowerBound]
      quotes.pass(before)
      let inner = rest[start.upperBound...]
      guard let end = inner.firstRange(of: "}}") else {
        throw WebhookError("'{{' without '}}' after it")
      }
      let value = try place(inner[..<end.lowerBound], isQuoted: isJSON && quotes.isOpen)
      pieces += [.text(String(before)), value]
      rest = inner[end.upperBound...]
    }
    return pieces + [.text(String(rest))]
  }

  private static func place(_ text: Substring, isQuoted: Bool) throws(WebhookError) -> Piece {
    let words = text.split(separator: " ")
    let coding: Coding? =
      switch (words.count, words.first) {
      case (1, _): isQuoted ? .quoted : .text
      case (2, "json"): .json
      case (2, "url"): .url
      default: nil
      }
    guard let coding, let name = words.last else {
      let shown = text.prefix(60)
      throw WebhookError("'{{\(shown)}}' is not {{NAME}}, {{json NAME}} or {{url NAME}}")
    }
    guard names.contains(String(name)) else {
      throw WebhookError("'\(name.prefix(60))' is no member of an event, host, title or summary")
    }
    return .value(name: String(name), coding)
  }
}

/// Whether the text so far ends within a string of JSON.
private struct JSONQuotes {
  private(set) var isOpen = false
  private var isEscaped = false

  mutating func pass(_ text: Substring) {
    for byte in text.utf8 {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isOpen
      case UInt8(ascii: "\""): isOpen.toggle()
      default: break
      }
    }
  }
}

extension WebhookMessage {
  /// A value for a template; null without one.
  fileprivate func value(of name: String) -> JSON {
    switch name {
    case "host": .string(alert.host)
    case "title": .string(words.title)
    case "summary": .string(words.text)
    default: alert.event[name] ?? .null
    }
  }

  /// Messages of every kind, to try a template with.
  fileprivate static var samples: [WebhookMessage] {
    let network: JSON = ["event": "network", "at": "2026-11-23T03:14:07.000Z", "state": "offline"]
    let degraded: JSON = [
      "event": "network", "at": "2026-11-23T03:14:07.000Z", "state": "degraded",
      "previous": "offline", "cause": "lossy", "interface": "eth0", "endpoint": "ip-api.com:80",
      "message": "it is \"lossy\"", "loss": 0.35, "connect_ms": 412, "down_ms": 131_000,
      "degraded_ms": 131_000,
    ]
    let watch: JSON = [
      "event": "watch", "at": "2026-11-23T03:14:07.000Z", "id": "1", "name": "\"Office\"\n",
      "address": "203.0.113.9", "note": "a \\ note", "record": ["ip": "203.0.113.9"],
      "checked_at": "2026-11-23T03:14:07.000Z", "changes": [],
    ]
    let hits: JSON = [
      "event": "alert", "at": "2026-11-23T03:14:07.000Z", "id": "1", "name": "\"ssh\"\n",
      "time": "2026-11-23T03:14:07.000Z", "first": "2026-11-23T03:14:07.000Z", "count": 1,
      "key": ["ip": "203.0.113.9"], "ip": "203.0.113.9", "input": "a \\ b", "text": "\"\u{1}",
      "asn": 64496, "km": 120, "kmh": 3600, "before": ["DE"], "from": ["ip": "203.0.113.8"],
    ]
    let events: [JSON] = [network, degraded, watch, hits, ["event": "test"]]
    return events.map { WebhookMessage(Alert($0, host: "gate.example")) }
  }
}
