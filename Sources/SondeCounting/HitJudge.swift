package import SondeLogs
public import SondeRecords

/// The conditions that make hits bad or good.
public struct HitJudge: Sendable {
  /// Which hits are bad.
  public let bad: Filter
  /// Which of the others are good; `nil` if addresses decide.
  public let good: Filter?

  /// What a hit is.
  enum Verdict: Sendable {
    case bad, good
    /// Neither: good where its address has no bad hit, unless there is a condition for good ones.
    case neither
  }

  /// The pattern whose groups are fields of a line's hits; `nil` for none.
  private let pattern: LinePattern?
  private let all: [Filter]

  /// Creates a judge; `pattern` has the groups that are fields of conditions.
  package init(bad: Filter, good: Filter?, capturing pattern: LinePattern? = nil) {
    (self.bad, self.good, self.pattern) = (bad, good, pattern)
    all = [bad] + (good.map { [$0] } ?? [])
  }

  /// The fields of the conditions.
  public var fields: Set<Field> { Set(all.flatMap(\.fields)) }

  /// Whether a hit depends on its line or input.
  var dependsOnPlace: Bool { all.contains(where: \.dependsOnPlace) }

  /// Whether a hit depends on the time of its line.
  var dependsOnTime: Bool { all.contains(where: \.dependsOnTime) }

  /// Whether a hit depends on what stands in its line.
  var dependsOnText: Bool { all.contains(where: \.dependsOnText) }

  /// Whether a hit depends on the totals of its address, which are known last.
  var dependsOnTotals: Bool { all.contains(where: \.dependsOnTotals) }

  /// What a hit is, by the verdict of each condition; what only a missing answer could decide is good.
  private func judge(_ verdicts: [FilterVerdict]) -> Verdict {
    switch verdicts[0] {
    case .yes: .bad
    case .open: .good
    case .no: verdicts.count == 1 || verdicts[1] == .no ? .neither : .good
    }
  }

  /// What the occurrences of an address are; each part has findings of each condition.
  func verdicts(of parts: [HitPart]) -> [Verdict] {
    let verdicts = findings(of: parts)
    return parts.indices.map { part in judge(verdicts.map { $0[part] }) }
  }

  /// Whether no answer could change what they are.
  func isDecided(_ parts: [HitPart]) -> Bool {
    let verdicts = findings(of: parts)
    return parts.indices.allSatisfy { part in
      switch verdicts[0][part] {
      case .yes: true
      case .open: false
      case .no: verdicts.count == 1 || verdicts[1][part] != .open
      }
    }
  }

  /// The verdicts about the parts, by condition.
  private func findings(of parts: [HitPart]) -> [[FilterVerdict]] {
    all.indices.map { number in
      all[number].verdicts(
        of: parts.map { FilterPart($0.answer[number], at: $0.place[number], $0.totals) }
      )
    }
  }

  /// What a record is, where no totals matter.
  func verdict(of record: Record, bytes: Span<UInt8>) -> Verdict {
    judge(all.map { $0.verdict(of: record, bytes: bytes) })
  }

  /// The results of the conditions' comparisons of an answer, which `isMissing` before any request.
  func findings(
    ofAnswer record: Record,
    bytes: Span<UInt8>,
    isMissing: Bool = false
  ) -> [FilterFindings] {
    all.map { $0.findings(ofAnswer: record, bytes: bytes, isMissing: isMissing) }
  }

  /// The results of the conditions' comparisons of what stands in a line, without its end; `nil` if
  /// there are none.
  func findings(ofText line: Span<UInt8>) -> [FilterFindings]? {
    guard dependsOnText else { return nil }
    let values = pattern?.values(in: line) ?? []
    return all.map { $0.findings(ofText: line, capturing: values) }
  }

  /// The results of the conditions' comparisons of a place; `texts` has those of its line.
  func findings(ofPlace record: Record, _ texts: [FilterFindings]? = nil) -> [FilterFindings] {
    all.indices.map { all[$0].findings(ofPlace: record, text: texts?[$0]) }
  }
}

/// Occurrences of an address with one answer, at places of one kind.
struct HitPart: Sendable {
  /// The results of comparisons of the answer, by condition.
  var answer: [FilterFindings]
  /// The results of comparisons of the place, by condition.
  var place: [FilterFindings]
  var totals: Totals
}
