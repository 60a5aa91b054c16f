import SondeRecords

extension LineBlock {
  /// Finds what lines claim, before anything in them is replaced: their addresses become subjects of
  /// their own.
  mutating func noteClaims(by find: CrawlerClaims.Finder) {
    let bytes = bytes
    let claims = lines.map { find(bytes.span.extracting($0.range)) }
    guard claims.contains(where: { !$0.isEmpty }) else { return }
    let (old, rewrite) = (subjects.all, subjects.rewrite)
    subjects = SubjectList()
    subjects.rewrite = rewrite
    var numbers: [UInt64: UInt32] = [:]
    for (line, claims) in claims.enumerated() {
      for index in insertions(of: line..<line + 1) {
        let number = insertions[index].subject
        guard number != SubjectList.nothing else { continue }
        let key = UInt64(number) << 8 | UInt64(claims.rawValue)
        if let known = numbers[key] {
          insertions[index].subject = known
          continue
        }
        let new = subjects.append(old[Int(number)].claiming(claims))
        numbers[key] = new
        insertions[index].subject = new
      }
    }
  }
}

extension SubjectList.Subject {
  /// The subject in a line that claims something; an item that is no address claims nothing.
  fileprivate func claiming(_ claims: CrawlerClaims) -> SubjectList.Subject {
    var subject = self
    if address != nil, text.isEmpty { subject.claims = claims }
    return subject
  }
}
