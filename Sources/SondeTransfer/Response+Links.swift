internal import CSondeCurl

extension Response {
  /// The target of a redirect from a URL, by its `Location` (RFC 9110 §10.2.2).
  ///
  /// `nil` if there is none or the status is not 301, 302, 303, 307 or 308.
  public func redirection(from url: String) -> String? {
    guard [301, 302, 303, 307, 308].contains(status) else { return nil }
    return header("location").flatMap { resolved($0, against: url) }
  }

  /// The URL of the first link with a relation in lower case, such as `next` (RFC 8288 §3).
  public func link(_ relation: String, from url: String) -> String? {
    for field in values(of: "link") {
      var reader = LinkReader(field)
      while let link = reader.next() {
        if link.relations.contains(relation) { return resolved(link.target, against: url) }
      }
    }
    return nil
  }
}

/// Resolves a reference against the URL of the answer that contains it; `nil` if the result is not
/// an HTTP URL.
private func resolved(_ reference: String, against url: String) -> String? {
  guard var parsed = try? ParsedURL(url), parsed.follow(reference),
    ["http", "https"].contains(parsed.component(CURLUPART_SCHEME))
  else { return nil }
  return parsed.component(CURLUPART_URL)
}

/// Parses the links of a `Link` field, up to the first that is malformed.
private struct LinkReader {
  private var rest: Substring

  init(_ field: String) { rest = field[...] }

  mutating func next() -> (target: String, relations: [String])? {
    skip(" \t,")
    guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return nil }
    let target = String(rest.dropFirst().prefix(upTo: end))
    rest = rest[end...].dropFirst()
    var relations: [String]?
    while let (name, value) = nextParameter() {
      // The first `rel` counts (§3.3).
      if name == "rel", relations == nil {
        relations = value.lowercased().split(separator: " ").map(String.init)
      }
    }
    return (target, relations ?? [])
  }

  private mutating func nextParameter() -> (name: String, value: String)? {
    skip(" \t")
    guard rest.first == ";" else { return nil }
    skip("; \t")
    let name = take { !"=;, \t".contains($0) }
    skip(" \t")
    guard rest.first == "=" else { return (name.lowercased(), "") }
    rest.removeFirst()
    skip(" \t")
    return (name.lowercased(), rest.first == "\"" ? quoted() : take { !";, \t".contains($0) })
  }

  /// Parses a quoted string (RFC 9110 §5.6.4).
  private mutating func quoted() -> String {
    rest.removeFirst()
    var text = ""
    while let character = rest.popFirst(), character != "\"" {
      if character != "\\" {
        text.append(character)
      } else if let next = rest.popFirst() {
        text.append(next)
      }
    }
    return text
  }

  private mutating func skip(_ characters: String) { _ = take { characters.contains($0) } }

  private mutating func take(while isTaken: (Character) -> Bool) -> String {
    let taken = rest.prefix(while: isTaken)
    rest = rest[taken.endIndex...]
    return String(taken)
  }
}
