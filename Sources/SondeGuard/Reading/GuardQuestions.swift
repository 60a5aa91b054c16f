import SondeAddresses
import SondeInputs
package import SondeLogs
package import SondeRecords

/// What is asked of a hit: the condition, its key and its value.
package struct GuardQuestions: Sendable {
  /// Which hits count; `nil` for all.
  package var when: Filter?
  /// The fields of the key, in order.
  package var key: Filter
  /// The names of these.
  package var keyNames: [String]
  /// The field whose new values count; `nil` for none.
  package var new: Filter?
  /// The pattern whose groups are fields; `nil` for none.
  package var pattern: LinePattern?
  /// Whether places are compared.
  package var wantsPlaces = false
  /// Finds what the beginning of a line claims; `nil` if that does not matter.
  package var claims: CrawlerClaims.Finder?

  package init(when: Filter?, key: Filter, named names: [String], new: Filter?) {
    (self.when, self.key, keyNames, self.new) = (when, key, names, new)
  }

  /// What the answer about a hit is about.
  func subject(of hit: GuardHit) -> SubjectKey {
    guard let claims else { return SubjectKey(hit.address) }
    let line = Array(hit.text.utf8)
    return SubjectKey(hit.address, claiming: claims(line.span))
  }

  /// Whether an answer about the address of a hit is needed.
  package func needsAnswer(_ hit: GuardHit) -> Bool {
    wantsPlaces || !key.isDecidedEarly || new.map { !$0.isDecidedEarly } ?? false
      || verdict(beforeAsking: hit) == .open
  }

  /// The results of the condition's comparisons of a line with a time, in which values were captured.
  func findings(
    ofLine line: Span<UInt8>,
    at time: Int64,
    _ values: [[UInt8]],
    in input: String
  ) -> FilterFindings? {
    guard var when else { return nil }
    when.inputs = [input]
    var record = Record(address: nil, status: .ok)
    record.place = Place(time: time)
    let text = when.dependsOnText ? when.findings(ofText: line, capturing: values) : nil
    return when.findings(ofPlace: record, text: text)
  }

  /// The verdict about a hit before any request.
  func verdict(beforeAsking hit: GuardHit) -> FilterVerdict {
    guard let when else { return .yes }
    let zone = Array(hit.zone.utf8)
    var record = Record(address: hit.address, status: .ok)
    record[.item] = TextRange(offset: 0, count: UInt32(zone.count))
    let entry = when.findings(ofEntry: record, bytes: zone.span)
    return when.verdict(of: entry, at: hit.findings)
  }

  /// What a hit is once the answer about its address is known; `answer` has one record.
  func facts(of hit: GuardHit, _ answer: RecordBlock) -> HitFacts {
    var answer = answer
    let record = answer.records[0]
    var facts = HitFacts()
    let isMissing = record.status == .failed || record.status == .networkLost
    if let when {
      let findings = when.findings(ofAnswer: record, bytes: answer.bytes.span)
      facts.verdict = when.verdict(of: findings, at: hit.findings)
    }
    guard facts.verdict == .yes else { return facts }
    answer.capture(hit.values.map { Array($0.utf8) }, at: 0)
    answer.records[0].place = Place(time: hit.time)
    facts.key = texts(key, hit, answer)
    if let new { facts.value = texts(new, hit, answer).first }
    let wantsMore =
      facts.key.contains("") && !key.isDecidedEarly
      || new != nil && facts.value?.isEmpty == true && new?.isDecidedEarly == false || wantsPlaces
    if isMissing, wantsMore { facts.verdict = .open }
    return facts
  }

  private func texts(_ filter: Filter, _ hit: GuardHit, _ answer: RecordBlock) -> [String] {
    var filter = filter
    filter.inputs = [hit.input]
    let line = Array(hit.text.utf8)
    return filter.texts(of: answer.records[0], bytes: answer.bytes.span, line: line)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// What a hit is, by the answer about its address.
struct HitFacts: Sendable {
  /// Whether it counts; open if only an answer that did not come could say.
  var verdict = FilterVerdict.yes
  /// The values of its key; empty where one is missing.
  var key: [String] = []
  /// Its value where new ones are wanted; empty or `nil` if it has none.
  var value: String?
}
