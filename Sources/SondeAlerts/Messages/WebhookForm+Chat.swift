import SondeWeb

extension WebhookForm {
  /// Slack's incoming webhooks, and those of Mattermost
  /// (https://developers.mattermost.com/integrate/webhooks/incoming) and Rocket.Chat
  /// (https://docs.rocket.chat/docs/integrations, "Incoming webhook"), which take the same.
  ///
  /// Slack answers 200 `ok`; 400 `no_text` or `invalid_payload`, 403, 404 `no_service` and 410
  /// `channel_is_archived` are refusals (https://api.slack.com/messaging/webhooks, "Handling
  /// errors").
  static let slack = WebhookForm(name: "slack", hosts: ["hooks.slack.com"]) { message in
    JSON.object([("text", .string(Markup.slack.escaped(message.words.text)))]).bytes
  }

  /// Discord's webhooks.
  ///
  /// They answer 204, 404 with `Unknown Webhook`, and 429 with `retry_after`, in seconds since
  /// version 8 of the API, while a path without a version is version 6, which waits in
  /// milliseconds (https://discord.com/developers/docs/reference, "API Versioning"). `content` has
  /// at most 2,000 characters (https://discord.com/developers/docs/resources/webhook, "Execute
  /// Webhook").
  static let discord = WebhookForm(
    name: "discord",
    hosts: ["discord.com", "discordapp.com"],
    path: { path in
      let prefix = "/api/webhooks/"
      return path.hasPrefix(prefix) ? "/api/v10/webhooks/" + path.dropFirst(prefix.count) : path
    },
    body: { message in
      let content = Markup.markdown.escaped(message.words.text, atMost: 2000)
      let body: JSON = ["content": .string(content), "allowed_mentions": ["parse": []]]
      return body.bytes
    }
  )

  /// Workflows of Microsoft Teams ("When a Teams webhook request is received"): answered with 202.
  ///
  /// They post Adaptive Cards alone, unlike the connectors that they have replaced
  /// (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors). A message has
  /// at most 28 KB; its text uses less than 20.
  static let teams = WebhookForm(
    name: "teams",
    hosts: ["*.api.powerplatform.com", "*.logic.azure.com", "*.webhook.office.com"]
  ) { message in
    let text = Markup.markdown.escaped(message.words.text, atMost: 20_000, .bytes)
    let block: JSON = ["type": "TextBlock", "text": .string(text), "wrap": true]
    let card: JSON = [
      "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
      "version": "1.4", "body": .array([block]),
    ]
    let attachment: JSON = [
      "contentType": "application/vnd.microsoft.card.adaptive", "content": card,
    ]
    let body: JSON = ["type": "message", "attachments": .array([attachment])]
    return body.bytes
  }

  /// ntfy: a message is the body of the request, and answered with 200 and JSON.
  ///
  /// `Title` may be encoded by RFC 2047, `Priority` is 1 to 5, `Tags` are names of emoji
  /// (https://docs.ntfy.sh/publish). A longer body than 4,096 bytes would become an attachment.
  static let ntfy = WebhookForm(
    name: "ntfy",
    hosts: ["ntfy.sh"],
    contentType: "text/plain; charset=utf-8",
    headers: { message in
      let severity = message.isOver ? .info : message.alert.severity
      let title = Markup.plain.escaped(message.words.title, atMost: 250)
      return [
        ("Title", headerText(title)), ("Priority", severity.priority), ("Tags", severity.tag),
      ]
    },
    body: { Array(Markup.plain.escaped($0.words.text, atMost: 4096, .bytes).utf8) }
  )
}

extension Alert.Severity {
  fileprivate var priority: String {
    switch self {
    case .critical: "5"
    case .warning: "4"
    case .info: "3"
    }
  }

  fileprivate var tag: String {
    switch self {
    case .critical: "rotating_light"
    case .warning: "warning"
    case .info: "white_check_mark"
    }
  }
}

/// A text as the value of a header: itself if it is in ASCII, else encoded words (RFC 2047 §4.2).
func headerText(_ text: String) -> String {
  guard !text.utf8.allSatisfy({ 0x20...0x7e ~= $0 }) || text.contains("=?") else { return text }
  let (start, end, limit) = ("=?UTF-8?Q?", "?=", 75)
  var words = [start]
  for scalar in text.unicodeScalars {
    let code = encodedInQ(scalar)
    let length = words[words.count - 1].utf8.count + code.utf8.count + end.utf8.count
    if length > limit { words.append(start) }
    words[words.count - 1] += code
  }
  return words.map { $0 + end }.joined(separator: " ")
}

private func encodedInQ(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case " ": "_"
  case "0"..."9", "A"..."Z", "a"..."z", ".", ":", "-", "/": String(scalar)
  default: String(scalar).utf8.map { percentEncoded($0, sign: "=") }.joined()
  }
}

/// A byte as two hexadecimal digits after a sign.
func percentEncoded(_ byte: UInt8, sign: String = "%") -> String {
  sign + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
}
