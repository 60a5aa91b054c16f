/// The passwords that are tried first by those who guess them (NIST SP 800-63B §3.1.1.2).
enum CommonPassword {
  /// What runs of neighbours are made of: digits, letters, and the letters of keyboards.
  private static let rows = [
    "1234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm", "azertyuiopqsdfghjklmwxcvbn",
  ].map(Array.init)

  /// Whether a password, whatever its case, is common, one character repeated, a run such as
  /// `1234567890` or `poiuytrewq`, or the email of its account or the part of it before the `@`.
  static func contains(_ password: String, of email: Email) -> Bool {
    let text = password.lowercased()
    let characters = Array(text)
    let owner = email.text.prefix { $0 != "@" }
    return list.contains(text) || text == email.text || text == owner
      || Set(characters).count == 1 || rows.contains { isRun(characters, $0) }
  }

  /// Whether each character is the neighbour of the one before, always on the same side; behind the
  /// last one of a row comes its first.
  private static func isRun(_ characters: [Character], _ row: [Character]) -> Bool {
    let places = characters.compactMap(row.firstIndex)
    guard places.count == characters.count else { return false }
    let steps = Set(zip(places, places.dropFirst()).map { ($1 - $0 + row.count) % row.count })
    return steps == [1] || steps == [row.count - 1]
  }
}
