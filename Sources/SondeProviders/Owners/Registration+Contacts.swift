import SondeRecords

/// The entities of a network (RFC 9083 §5.1), and their cards (jCard, RFC 7095).
extension JSONDocument {
  /// The longest address of e-mail, in bytes (RFC 5321 §4.5.3.1.3, less the brackets).
  private static let longestMail = 254

  /// As many addresses of e-mail are believed.
  private static let mostMails = 10

  /// The members of each entity, also of those within others, the outer ones first.
  ///
  /// ARIN has the contact for abuse within the registrant (meeb/whoisit #7).
  func entities(of members: Range<Int>) -> ArraySlice<Range<Int>> {
    var queue = [members]
    var next = 0
    while next < queue.count {
      if case .array(let inner) = value("entities", in: queue[next]) {
        queue += elements(inner).compactMap(\.members)
      }
      next += 1
    }
    return queue.dropFirst()
  }

  /// Whether an entity has a role (RFC 9083 §10.2.4).
  func hasRole(_ role: String, in entity: Range<Int>) -> Bool {
    texts(value("roles", in: entity)).contains { $0.lowercased() == role }
  }

  /// The full name on an entity's card (RFC 6350 §6.2.1).
  func fullName(in entity: Range<Int>) -> String? {
    properties("fn", in: entity).lazy
      .flatMap { $0.texts.map(\.onOneLine) }
      .first { !$0.isEmpty }
  }

  /// The addresses of e-mail of those who are there for abuse, each once.
  func abuseAddresses(among entities: ArraySlice<Range<Int>>) -> [String] {
    var seen: Set<String> = []
    let found = entities.filter { hasRole("abuse", in: $0) }.flatMap { mails(in: $0) }
    return Array(found.filter { seen.insert($0).inserted }.prefix(Self.mostMails))
  }

  /// The preferred addresses of e-mail on a card.
  ///
  /// RIPE's address for abuse has the type `abuse` (its README.RDAP); APNIC's is preferred (`pref`,
  /// RFC 6350 §5.3).
  private func mails(in entity: Range<Int>) -> [String] {
    let properties = properties("email", in: entity)
    let meant = properties.filter { $0.types.contains("abuse") }
    let candidates = meant.isEmpty ? properties : meant
    let best = candidates.map(\.preference).min()
    return candidates.filter { $0.preference == best }.flatMap(\.texts).compactMap(Self.mail)
  }

  /// The address of e-mail that a text is, which some give as a URL.
  private static func mail(_ text: String) -> String? {
    let isURL = text.lowercased().hasPrefix("mailto:")
    let mail = isURL ? String(text.dropFirst("mailto:".count)) : text
    let hasBlank = mail.unicodeScalars.contains(where: \.properties.isWhitespace)
    guard !hasBlank, mail.utf8.count <= longestMail, let at = mail.lastIndex(of: "@"),
      at != mail.startIndex, mail.index(after: at) != mail.endIndex
    else { return nil }
    return mail
  }

  /// A property of a card.
  private struct Property {
    let types: [String]
    /// From 1, the most preferred, to 100; beyond that where it is not said.
    let preference: Int
    let texts: [String]
  }

  private static let noPreference = 101

  /// The properties of a name on an entity's card: `["vcard", [[name, parameters, type, value…]…]]`
  /// (RFC 7095 §3.3).
  private func properties(_ name: String, in entity: Range<Int>) -> [Property] {
    guard case .array(let card) = value("vcardArray", in: entity),
      case .array(let list) = elements(card).dropFirst().first
    else { return [] }
    return elements(list).compactMap { property in
      guard case .array(let range) = property else { return nil }
      let parts = elements(range)
      guard parts.count > 3, let text = parts[0].text, string(text).lowercased() == name else {
        return nil
      }
      let parameters = parts[1].members
      let preference = parameters.flatMap { self.preference(value("pref", in: $0)) }
      return Property(
        types: parameters.map { texts(value("type", in: $0)).map { $0.lowercased() } } ?? [],
        preference: preference ?? Self.noPreference,
        texts: parts[3...].flatMap { texts($0) }
      )
    }
  }

  private func preference(_ value: Value?) -> Int? {
    if case .integer(let number) = value { return Int(clamping: number) }
    return texts(value).first.flatMap { Int($0) }
  }
}

extension String {
  /// As much of the text as is believed, without line ends and needless blanks.
  var onOneLine: String {
    confined.unicodeScalars.split { "\t\n\r ".unicodeScalars.contains($0) }.map { String($0) }
      .joined(separator: " ")
  }
}
