import SondeCatalog
import SondeProviders
import SondeReachability
import SondeRecords

/// The syntax of a value: its placeholder in help, the description in errors, its parser.
struct Form<Value: Sendable>: Sendable {
  let placeholder: String

  /// The accepted values, to follow "expected".
  let accepted: String

  var completion = Completion.nothing

  let read: @Sendable (String) throws(ValueProblem) -> Value
}

enum ValueProblem: Error, Equatable {
  case malformed
  /// A reason more specific than the accepted form.
  case because(String)
}

/// The value that a text gives, unless it is malformed.
func wellFormed<Value>(_ value: Value?) throws(ValueProblem) -> Value {
  guard let value else { throw .malformed }
  return value
}

extension Form where Value == String {
  static let path = anyText("FILE", "a file name", .files)
  static let folder = anyText("DIR", "the name of a folder", .files)
  static let command = anyText("COMMAND", "a command for /bin/sh", .files)
  /// The name of a member of a JSON object.
  static let key = anyText("NAME", "a name")
  static let column = anyText("NAME", "the name of a column")
  /// A condition on records, parsed once the columns are known.
  static let condition = anyText("EXPR", "a condition")
  static let regex = anyText("REGEX", "a regular expression")
  /// The name of a time zone; whether that zone exists is checked later.
  static let zoneName = anyText("NAME", "the name of a time zone, such as Europe/Berlin")
  static let title = anyText("TEXT", "a title")

  private static func anyText(
    _ placeholder: String,
    _ accepted: String,
    _ completion: Completion = .nothing
  ) -> Form {
    Form(placeholder: placeholder, accepted: accepted, completion: completion) { text in text }
  }

  /// A key or token of visible ASCII only, since it goes into a URL or header.
  fileprivate static let visible = Form(
    placeholder: "KEY",
    accepted: "visible ASCII characters without spaces"
  ) { text throws(ValueProblem) in
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw .malformed }
    return text
  }

  static let url = Form(
    placeholder: "URL",
    accepted: "a URL that begins with http:// or https:// and a host"
  ) { text throws(ValueProblem) in
    let visible = try Form.visible.read(text)
    let schemes = ["http://", "https://"]
    guard
      let scheme = schemes.first(where: { visible.lowercased().hasPrefix($0) }),
      case let rest = visible.dropFirst(scheme.count),
      let host = rest.prefix(while: { !"/?#".contains($0) }).split(separator: "@").last,
      !host.hasPrefix(":")
    else { throw .malformed }
    return visible
  }
}

/// The names of the forms of webhook messages that have one.
package let webhookFormats = [
  "sonde", "slack", "discord", "teams", "ntfy", "alertmanager", "pagerduty",
]

extension Form where Value == WebhookReceiver {
  /// A URL, behind the name of a format and `=` where one is given; which formats there are, is
  /// checked later.
  ///
  /// The name of a format's file has no `=http://` and no `=https://` in it.
  static let webhook = Form(
    placeholder: "[FORMAT=]URL",
    accepted: Form<String>.url.accepted + ", with or without FORMAT= before it",
    completion: .words(webhookFormats.map { $0 + "=" } + ["template:"])
  ) { text throws(ValueProblem) in
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    let isURL = { (part: Substring) in
      ["http://", "https://"].contains { part.lowercased().hasPrefix($0) }
    }
    guard let first = parts.firstIndex(where: isURL), first > 0 else {
      return WebhookReceiver(format: nil, url: try Form<String>.url.read(text))
    }
    let format = parts[..<first].joined(separator: "=")
    let url = try Form<String>.url.read(parts[first...].joined(separator: "="))
    return WebhookReceiver(format: format, url: url)
  }
}

extension Form where Value == UInt8? {
  /// The separator of the cells of a table.
  static let delimiter = Form(
    placeholder: "CHAR",
    accepted: "one ASCII character that is no quote and ends no line, or \\t"
  ) { text throws(ValueProblem) in
    if text == "\\t" { return UInt8(ascii: "\t") }
    guard let byte = text.utf8.first, text.utf8.count == 1, byte < 0x80,
      !"\"\r\n\0".utf8.contains(byte)
    else { throw .malformed }
    return byte
  }
}

extension Form where Value == Endpoint {
  /// A host with a port, by default that of HTTPS (RFC 9110 §4.2.2).
  static let endpoint = Form(
    placeholder: "HOST[:PORT]",
    accepted: "a host name or address, with or without a port"
  ) { text throws(ValueProblem) in
    try wellFormed(Endpoint(text, defaultPort: 443))
  }

  /// An address of this machine to listen on; port 0 means any free port.
  static let listener = Form(
    placeholder: "HOST:PORT",
    accepted: "a host name or address and a port, such as 127.0.0.1:9477"
  ) { text throws(ValueProblem) in
    let isAnyPort = text.hasSuffix(":0")
    let readable = isAnyPort ? text.dropLast() + "1" : text
    // Text without a port gives a different endpoint for each default.
    guard let endpoint = Endpoint(readable, defaultPort: 1),
      endpoint == Endpoint(readable, defaultPort: 2)
    else { throw .malformed }
    return isAnyPort ? Endpoint(host: endpoint.host, port: 0) : endpoint
  }
}

extension Form where Value == String {
  /// Endpoints as an event names them: several have blanks between them.
  static let watchedEndpoint = Form(
    placeholder: "HOST[:PORT]",
    accepted: "a host name or address, with or without a port"
  ) { text throws(ValueProblem) in
    let names = text.split(separator: " ").map { Endpoint(String($0), defaultPort: 443) }
    guard !names.isEmpty, !names.contains(nil) else { throw .malformed }
    return names.compactMap { $0.map(\.description) }.joined(separator: " ")
  }
}

extension Form where Value == String? {
  /// A file to write; `-` is stdout.
  static let output = Form(
    placeholder: "FILE",
    accepted: "a file name, or - for stdout",
    completion: .files,
    read: { text in text == "-" ? nil : text }
  )
}

extension Form where Value == RedactedText {
  static let secret = Form(
    placeholder: Form<String>.visible.placeholder,
    accepted: Form<String>.visible.accepted
  ) { text throws(ValueProblem) in RedactedText(value: try Form<String>.visible.read(text)) }
}

extension Form where Value == Bool {
  /// A flag in the environment or the configuration file.
  static let flag = Form(
    placeholder: "",
    accepted: "1, 0, true, false, yes or no"
  ) { text throws(ValueProblem) in
    switch text.lowercased() {
    case "1", "true", "yes": true
    case "0", "false", "no": false
    default: throw .malformed
    }
  }
}

extension Form where Value == Int {
  static func count(_ range: ClosedRange<Int>) -> Form {
    let accepted =
      range.upperBound == .max
      ? "a whole number of \(range.lowerBound) or more"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return Form(placeholder: "N", accepted: accepted) { text throws(ValueProblem) in
      guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { throw .malformed }
      guard let number = Int(text) else { throw .because("too large") }
      guard range.contains(number) else { throw .malformed }
      return number
    }
  }
}

extension Form where Value == Pick {
  /// Which addresses of a line count.
  static let pick = Form(
    placeholder: "WHICH",
    accepted: "all, first, last, public or name:NAME",
    completion: .words(["all", "first", "last", "public", "name:"])
  ) { text throws(ValueProblem) in
    try wellFormed(Pick(text))
  }
}

extension Form where Value == Range<Int> {
  /// A range of bytes in a file: an offset and an optional length.
  static let range = Form(
    placeholder: "RANGE",
    accepted: "OFFSET:LENGTH in bytes, each also with k, m or g, such as 1g:512m or 1g:"
  ) { text throws(ValueProblem) in
    let halves = text.split(separator: ":", omittingEmptySubsequences: false)
    guard halves.count == 2 else { throw .malformed }
    let start = try bytes(halves[0])
    guard !halves[1].isEmpty else { return start..<Int.max }
    let (end, isTooLarge) = start.addingReportingOverflow(try bytes(halves[1]))
    return start..<(isTooLarge ? .max : end)
  }

  /// A number of bytes; suffixes are powers of 1,024.
  private static func bytes(_ text: Substring) throws(ValueProblem) -> Int {
    let shifts: [Character: Int] = ["k": 10, "m": 20, "g": 30]
    let shift = text.last.flatMap { shifts[$0] }
    let digits = shift == nil ? text : text.dropLast()
    let number = try Form<Int>.count(0...Int.max).read(String(digits))
    guard number <= Int.max >> (shift ?? 0) else { throw .because("too large") }
    return number << (shift ?? 0)
  }
}

extension Form where Value == Rate {
  static let rate = Form(
    placeholder: "RATE",
    accepted: "requests per second or minute, such as 5/s or 45/min"
  ) { text throws(ValueProblem) in
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { throw .malformed }
    let windows: [Substring: Duration] = ["s": .seconds(1), "min": .seconds(60)]
    let window = try wellFormed(windows[halves[1]])
    let requests = try Form<Int>.count(1...1_000_000_000).read(String(halves[0]))
    return Rate(requests: requests, window: window)
  }
}

extension Form where Value: CaseIterable & RawRepresentable<String> {
  static func choice(_ placeholder: String) -> Form {
    let words = Value.allCases.map(\.rawValue)
    return Form(
      placeholder: placeholder,
      accepted: alternatives(words),
      completion: .words(words)
    ) { text throws(ValueProblem) in
      try wellFormed(Value(rawValue: text))
    }
  }
}

extension Form where Value == Format {
  /// An output format; cards cannot be requested.
  static let format = Form(
    placeholder: "FORMAT",
    accepted: alternatives(words),
    completion: .words(words)
  ) { text throws(ValueProblem) in
    guard words.contains(text), let format = Format(name: text) else { throw .malformed }
    return format
  }

  private static let words = Format.all.filter { $0 != .card }.map(\.name)
}

extension Form where Value == [Provider] {
  /// Provider names, separated by commas, without duplicates.
  static let providers = Form(
    placeholder: "LIST",
    accepted: "a list of \(alternatives(words)), with commas between them",
    completion: .list(words)
  ) { text throws(ValueProblem) in
    var providers: [Provider] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = trimmed(item)
      guard let provider = Provider(name: name) else {
        throw name.isEmpty ? .malformed : .because("unknown provider \(quoted(name))")
      }
      guard !providers.contains(provider) else {
        throw .because("provider \(quoted(name)) stands there twice")
      }
      providers.append(provider)
    }
    return providers
  }

  private static var words: [String] { Provider.all.map(\.name) }
}

extension Form where Value == NamedSource {
  /// A source of additional columns.
  static let source = Form(
    placeholder: "SOURCE",
    accepted: alternatives(words),
    completion: .words(words)
  ) { text throws(ValueProblem) in
    do throws(NamedSource.Problem) {
      return try NamedSource(text)
    } catch .taken(let name, let meaning) {
      throw .because("\(quoted(name)) is \(meaning): give the table another name")
    } catch {
      throw .malformed
    }
  }

  private static let words = AddedSource.shown.map(\.usage)
}

extension Form where Value == NamedSource {
  /// A table of true places.
  static let truth = Form(
    placeholder: "FILE",
    accepted: "the file of a table",
    completion: .files
  ) { text throws(ValueProblem) in
    do { return try NamedSource("truth=\(text)") } catch { throw .malformed }
  }
}

/// The words as an enumeration in a sentence: `a, b or c`.
package func alternatives(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}

/// A word from the user, quoted for a message and truncated if it is long.
package func quoted(_ word: some StringProtocol) -> String {
  let limit = 60
  return word.count <= limit ? "'\(word)'" : "'\(word.prefix(limit))...'"
}

/// The text without surrounding spaces, tabs and carriage returns.
func trimmed(_ text: Substring) -> Substring {
  let isSpace: (Character) -> Bool = { " \t\r".contains($0) }
  let start = text.drop(while: isSpace)
  guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
  return start[...last]
}

func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
