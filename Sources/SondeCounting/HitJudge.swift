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

  /// Creates a judge; `pattern` has the groups that are fields of conditions.
  package init(bad: Filter, good: Filter?, capturing pattern: LinePattern? = nil) {
    (self.bad, self.good, self.pattern) = (bad, good, pattern)
    conditions = [bad] + (good.map { [$0] } ?? [])
  }

  /// The conditions.
  let conditions: [Filter]

  /// The fields of the conditions.
  public var fields: Set<Field> { Set(conditions.flatMap(\.fields)) }

  /// Whether a hit depends on its line or input.
  var dependsOnPlace: Bool { conditions.contains(where: \.dependsOnPlace) }

  /// Whether all that matters of a place is what stands in the line.
  var comparesTextsAlone: Bool { conditions.allSatisfy(\.comparesTextsAlone) }

  /// Whether a hit depends on its address or the answer about that.
  var dependsOnAddress: Bool { conditions.contains(where: \.dependsOnAddress) }

  /// Whether a hit depends on the totals of its address.
  var dependsOnTotals: Bool { conditions.contains(where: \.dependsOnTotals) }

  /// What a hit is, by the verdict of each condition; what only a missing answer could decide is good.
  private func judge(_ verdicts: [FilterVerdict]) -> Verdict {
    switch verdicts[0] {
    case .yes: .bad
    case .open: .good
    case .no: verdicts.count == 1 || verdicts[1] == .no ? .neither : .good
    }
  }

  /// What a record is.
  func verdict(of record: Record, bytes: Span<UInt8>) -> Verdict {
    switch bad.verdict(of: record, bytes: bytes) {
    case .yes: .bad
    case .open: .good
    case .no: good.map { $0.verdict(of: record, bytes: bytes) != .no } == true ? .good : .neither
    }
  }

  /// What each condition's comparisons say of an address before any request.
  func findings(ofEntry record: Record, bytes: Span<UInt8>) -> [FilterFindings] {
    conditions.map { $0.findings(ofEntry: record, bytes: bytes) }
  }

  /// What each condition's comparisons say of an answer.
  func findings(ofAnswer record: Record, bytes: Span<UInt8>) -> [FilterFindings] {
    conditions.map { $0.findings(ofAnswer: record, bytes: bytes) }
  }

  /// What each condition's comparisons say of what stands in a line, without its end.
  func findings(ofText line: Span<UInt8>) -> [FilterFindings] {
    let values = pattern?.values(in: line) ?? []
    return conditions.map { $0.findings(ofText: line, capturing: values) }
  }

  /// What each condition's comparisons say of a place, with the text of its line.
  func findings(ofPlace record: Record, text: [FilterFindings]? = nil) -> [FilterFindings] {
    conditions.indices.map { conditions[$0].findings(ofPlace: record, text: text?[$0]) }
  }

  /// The hits of an address at places of one kind.
  typealias Part = (place: [FilterFindings], totals: Totals)

  /// What the hits of an address at each kind of place are, by an answer or what is known before.
  func verdicts(of answer: [FilterFindings], at parts: [Part]) -> [Verdict] {
    let all = verdictsOfConditions(answer, parts)
    return parts.indices.map { part in judge(all.map { $0[part] }) }
  }

  /// Whether no answer could change what the hits of an address are.
  func isDecided(_ entry: [FilterFindings], at parts: [Part]) -> Bool {
    let all = verdictsOfConditions(entry, parts)
    return parts.indices.allSatisfy { part in
      switch all[0][part] {
      case .yes: true
      case .open: false
      case .no: all.count == 1 || all[1][part] != .open
      }
    }
  }

  /// What the hits of an address at a place are, for conditions without totals.
  func verdict(of answer: [FilterFindings], at place: [FilterFindings]) -> Verdict {
    judge(conditions.indices.map { conditions[$0].verdict(of: answer[$0], at: place[$0]) })
  }

  private func verdictsOfConditions(
    _ answer: [FilterFindings],
    _ parts: [Part]
  ) -> [[FilterVerdict]] {
    conditions.indices.map { index in
      conditions[index].verdicts(
        of: answer[index],
        at: parts.map { ($0.place[index], $0.totals) }
      )
    }
  }
}
