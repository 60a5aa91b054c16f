import SondeAddresses
import SondeInputs
package import SondeLogs
package import SondeRecords

/// What is asked of a hit: the condition, its key and its value.
package struct GuardQuestions: Sendable {
  /// Which hits count; `nil` for all.
  package let when: Filter?
  /// The fields of the key, in order.
  private let key: Filter
  /// The names of these.
  package let keyNames: [String]
  /// The field whose new values count; `nil` for none.
  private let new: Filter?
  /// The pattern whose groups are fields; `nil` for none.
  package var pattern: LinePattern?
  /// Whether places are compared.
  package var wantsPlaces = false
  /// Finds what the beginning of a line claims; `nil` if that does not matter.
  package var claims: CrawlerClaims.Finder?
  /// Whether the key or the value depends on the line.
  let namesDependOnLine: Bool
  /// Whether every hit needs an answer, for its key or value.
  private let namesNeedAnswer: Bool

  package init(when: Filter?, key: Filter, named names: [String], new: Filter?) {
    (self.when, self.key, keyNames, self.new) = (when, key, names, new)
    namesDependOnLine = key.dependsOnPlace || new?.dependsOnPlace == true
    namesNeedAnswer = !key.isDecidedEarly || new?.isDecidedEarly == false
  }

  /// The names of what a hit must have to count, where an answer must give some of it.
  var needs: [String] {
    guard namesNeedAnswer || wantsPlaces else { return [] }
    let places = wantsPlaces ? ["latitude", "longitude"] : []
    return keyNames + (new?.answers ?? []).map(\.name) + places
  }

  /// What the answer about a hit is about.
  func subject(of hit: GuardHit) -> SubjectKey {
    guard let claims else { return SubjectKey(hit.address) }
    let line = Array(hit.text.utf8)
    return SubjectKey(hit.address, claiming: claims(line.span))
  }

  /// Whether an answer about the address of a hit is needed.
  package func needsAnswer(_ hit: GuardHit) -> Bool {
    wantsPlaces || namesNeedAnswer || hit.verdict == .open
  }

  /// A hit that other questions have found, as these see it by what is kept of its line.
  func seen(_ hit: GuardHit) -> GuardHit {
    var (hit, when) = (hit, when)
    when?.inputs = [hit.input]
    hit.values = pattern?.values(in: hit.line.span) ?? []
    hit.findings = when?.findings(
      ofLine: hit.line.span,
      at: hit.time,
      capturing: hit.values
    )
    return hit
  }

  /// The verdict about a hit before any request.
  func verdict(beforeAsking hit: GuardHit) -> FilterVerdict {
    guard let when else { return .yes }
    guard when.dependsOnAddress else {
      return when.verdict(of: FilterFindings(), at: hit.findings)
    }
    let zone = Array(hit.zone.utf8)
    var record = Record(address: hit.address, status: .ok)
    record[.item] = TextRange(offset: 0, count: UInt32(zone.count))
    let entry = when.findings(ofEntry: record, bytes: zone.span)
    return when.verdict(of: entry, at: hit.findings)
  }

  /// The results of the condition's comparisons of an answer, which has one record; `nil` without a
  /// condition.
  func findings(of answer: RecordBlock) -> FilterFindings? {
    when?.findings(ofAnswer: answer.records[0], bytes: answer.bytes.span)
  }

  /// The verdict about a hit by these findings.
  func verdict(of hit: GuardHit, by findings: FilterFindings?) -> FilterVerdict {
    guard let when, let findings else { return .yes }
    return when.verdict(of: findings, at: hit.findings)
  }

  /// The key and the value of a hit that counts, once the answer about its address is known; `answer`
  /// has one record.
  func names(of hit: GuardHit, _ answer: RecordBlock) -> HitNames {
    var answer = answer
    if namesDependOnLine {
      answer.capture(hit.values, at: 0)
      answer.records[0].place = Place(time: hit.time)
    }
    let key = texts(key, hit, answer)
    let value = new.map { texts($0, hit, answer).first ?? "" }
    let wantsMore =
      key.contains("") && !self.key.isDecidedEarly
      || value?.isEmpty == true && new?.isDecidedEarly == false || wantsPlaces
    let status = answer.records[0].status
    if status == .failed || status == .networkLost, wantsMore { return .open }
    return key.contains("") || value?.isEmpty == true ? .missing : .known(key: key, value: value)
  }

  private func texts(_ filter: Filter, _ hit: GuardHit, _ answer: RecordBlock) -> [String] {
    var (filter, line) = (filter, [UInt8]())
    if namesDependOnLine {
      filter.inputs = [hit.input]
      if filter.fields.contains(.text) { line = Array(hit.text.utf8) }
    }
    return filter.texts(of: answer.records[0], bytes: answer.bytes.span, line: line)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The key and the value of a hit, by the answer about its address.
enum HitNames: Sendable {
  /// Unknown, since the answer is missing.
  case open
  /// The hit has none, or lacks a part of them.
  case missing
  /// The texts of the key, and the value where new ones are wanted.
  case known(key: [String], value: String?)
}
