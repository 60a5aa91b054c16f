import SondeRecords
import SondeSystem
import SondeTransfer

/// Decides what to report about a receiver, each thing once: a pure value.
struct DeliveryNews: Sendable {
  private var isFailing = false
  private var refusedStatus: Int?

  /// Notes an accepted alert; returns whether that is news.
  mutating func accept() -> Bool {
    defer { (isFailing, refusedStatus) = (false, nil) }
    return isFailing
  }

  /// Notes an answer that asks for another attempt; returns whether to report it.
  mutating func fail(status: Int) -> Bool {
    refusedStatus = nil
    return fail()
  }

  /// Notes an attempt without an answer; returns whether to report it.
  mutating func fail() -> Bool {
    defer { isFailing = true }
    return !isFailing
  }

  /// Notes a refusal; returns whether to report it.
  mutating func refuse(status: Int) -> Bool {
    defer { refusedStatus = status }
    return refusedStatus != status
  }
}

/// The first 200 characters of an answer, printable, and without the parts of the URL that may be
/// secret, which error pages repeat.
func words(of response: Response, from url: String) -> String {
  var text = String(decoding: response.body, as: UTF8.self)
  for secret in secrets(in: url) { text.replace(secret, with: "…") }
  let start = text.unicodeScalars.drop { $0.properties.isWhitespace }
  let first = String(String.UnicodeScalarView(start.prefix(200)))
  return escapedForPerson(String(first.reversed().drop(while: \.isWhitespace).reversed()))
}

/// The parts of a URL that messages do not show, the longest first.
private func secrets(in url: String) -> [String] {
  guard let scheme = url.firstRange(of: "://") else { return [] }
  let rest = url[scheme.upperBound...]
  let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
  let target = rest[end...].prefix { $0 != "#" }
  var parts = [String(target), String(target.prefix { $0 != "?" })]
  if let user = rest[..<end].lastIndex(of: "@") {
    parts += [String(rest[..<user])] + rest[..<user].split(separator: ":").map(String.init)
  }
  return parts.filter { $0.utf8.count > 1 }.sorted { $0.utf8.count > $1.utf8.count }
}
