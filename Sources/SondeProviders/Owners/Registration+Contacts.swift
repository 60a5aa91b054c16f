import SondeRecords

/// The entities of a network (RFC 9083 §5.1) and their cards (jCard, RFC 7095).
extension JSONDocument {
  /// The longest email address, in bytes (RFC 5321 §4.5.3.1.3, without the brackets).
  private static let longestMail = 254

  /// The largest number of email addresses accepted.
  private static let mostMails = 10

  /// The members of each entity, including nested ones, the outer ones first.
  ///
  /// ARIN nests the abuse contact within the registrant (meeb/whoisit #7).
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

  /// The full name in an entity's card (RFC 6350 §6.2.1).
  func fullName(in entity: Range<Int>) -> String? {
    properties("fn", in: entity).lazy.flatMap { $0.texts.map(\.onOneLine) }.first { !$0.isEmpty }
  }

  /// The email addresses of abuse contacts, without duplicates.
  func abuseAddresses(among entities: ArraySlice<Range<Int>>) -> [String] {
    var seen: Set<String> = []
    let found = entities.filter { hasRole("abuse", in: $0) }.flatMap { mails(in: $0) }
    return Array(found.filter { seen.insert($0).inserted }.prefix(Self.mostMails))
  }

  /// The preferred email addresses in a card.
  ///
  /// RIPE's abuse address has the type `abuse` (its README.RDAP); APNIC's is preferred (`pref`, RFC
  /// 6350 §5.3).
  private func mails(in entity: Range<Int>) -> [String] {
    let properties = properties("email", in: entity)
    let meant = properties.filter { $0.types.contains("abuse") }
    let candidates = meant.isEmpty ? properties : meant
    let best = candidates.map(\.preference).min()
    return candidates.filter { $0.preference == best }.flatMap(\.texts).compactMap(Self.mail)
  }

  /// The email address in a text, which may be a URL.
  private static func mail(_ text: String) -> String? {
    let isURL = text.lowercased().hasPrefix("mailto:")
    let mail = isURL ? String(text.dropFirst("mailto:".count)) : text
    let hasBlank = mail.unicodeScalars.contains(where: \.properties.isWhitespace)
    guard !hasBlank, mail.utf8.count <= longestMail, let at = mail.lastIndex(of: "@"),
      at != mail.startIndex, mail.index(after: at) != mail.endIndex
    else { return nil }
    return mail
  }

  private struct Property {
    let types: [String]
    /// The preference from 1, the highest, to 100; larger if missing.
    let preference: Int
    let texts: [String]
  }

  private static let noPreference = 101

  /// The properties with a name in an entity's card:
  /// `["vcard", [[name, parameters, type, value…]…]]` (RFC 7095 §3.3).
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
  /// The text cut to the accepted length, without line ends and superfluous blanks.
  var onOneLine: String {
    confined.unicodeScalars.split { "\t\n\r ".unicodeScalars.contains($0) }.map { String($0) }
      .joined(separator: " ")
  }
}
