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

  /// Creates a judge.
  public init(bad: Filter, good: Filter?) {
    (self.bad, self.good) = (bad, good)
    all = [bad] + (good.map { [$0] } ?? [])
  }

  private let all: [Filter]

  /// The fields of the conditions.
  public var fields: Set<Field> { Set(all.flatMap(\.fields)) }

  /// Whether a hit depends on its line or input.
  var dependsOnPlace: Bool { all.contains(where: \.dependsOnPlace) }

  /// Whether a hit depends on the time of its line.
  var dependsOnTime: Bool { all.contains(where: \.dependsOnTime) }

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
    judge(all.map { $0.verdict(of: record, bytes: bytes) })
  }

  /// What the hits of an address at a place are before any request.
  func verdict(beforeAsking record: Record, bytes: Span<UInt8>) -> Verdict {
    judge(all.map { $0.verdict(beforeAsking: record, bytes: bytes) })
  }

  /// Whether no answer could change what the hits of an address at a place are.
  func isDecided(_ record: Record, bytes: Span<UInt8>) -> Bool {
    switch bad.verdict(beforeAsking: record, bytes: bytes) {
    case .yes: true
    case .open: false
    case .no: good?.verdict(beforeAsking: record, bytes: bytes) != .open
    }
  }

  /// The results of the conditions' comparisons of an answer.
  func findings(ofAnswer record: Record, bytes: Span<UInt8>) -> [FilterFindings] {
    all.map { $0.findings(ofAnswer: record, bytes: bytes) }
  }

  /// The results of the conditions' comparisons of a place.
  func findings(ofPlace record: Record) -> [FilterFindings] {
    all.map { $0.findings(ofPlace: record) }
  }

  /// What hits of an address with an answer at a place are.
  func verdict(_ answer: [FilterFindings], at place: [FilterFindings]) -> Verdict {
    judge(zip(all, zip(answer, place)).map { $0.verdict(of: $1.0, at: $1.1) })
  }
}
