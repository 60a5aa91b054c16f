import SondeSystem

/// The results of a condition's comparisons, in order.
public struct FilterFindings: Hashable, Sendable {
  /// How many results stand in ``first``.
  private static let mostFirst = 32

  fileprivate private(set) var count = 0
  /// The first results, each in two bits: so those of most conditions take no memory of their own.
  private var first: UInt64 = 0
  private var others: [FilterVerdict] = []

  package init(verdicts: [FilterVerdict] = []) { for verdict in verdicts { append(verdict) } }

  mutating func append(_ verdict: FilterVerdict) {
    if count < Self.mostFirst {
      first |= UInt64(verdict.rawValue) << UInt64(2 * count)
    } else {
      others.append(verdict)
    }
    count += 1
  }

  /// The result of the comparison at a position; open behind the last one.
  subscript(position: Int) -> FilterVerdict {
    guard position < count else { return .open }
    guard position < Self.mostFirst else { return others[position - Self.mostFirst] }
    return FilterVerdict(rawValue: UInt8(first >> UInt64(2 * position) & 3)) ?? .open
  }

  package var verdicts: [FilterVerdict] { (0..<count).map { self[$0] } }

  /// These results, and others where they are open.
  func completed(by others: FilterFindings) -> FilterFindings {
    var all = FilterFindings()
    for position in 0..<min(count, others.count) {
      all.append(self[position] == .open ? others[position] : self[position])
    }
    return all
  }
}

/// Divides a condition into its comparisons of the place (line, input, time, text and what is captured),
/// of totals, and all others, for addresses that occur often but have one answer.
extension Filter {
  /// Whether it depends on the occurrence of an address: its line, input, time, text or what is
  /// captured.
  public var dependsOnPlace: Bool { operands.contains(where: \.isOfPlace) }

  /// Whether it depends on what stands in a line: its text or what is captured.
  package var dependsOnText: Bool { operands.contains(where: \.isOfText) }

  /// Whether all that it compares of a place is what stands in the line.
  package var comparesTextsAlone: Bool { parts.ofPlace.allSatisfy { $0.source != .place } }

  /// Whether it depends on the address or its answer.
  package var dependsOnAddress: Bool { !parts.others.isEmpty }

  /// Whether it depends on the times of lines.
  public var dependsOnTime: Bool {
    !fields.isDisjoint(with: Field.occurrence.filter { $0 != .text })
  }

  /// The results of its other comparisons before any request.
  public func findings(ofEntry record: Record, bytes: Span<UInt8>) -> FilterFindings {
    findings(record, bytes, .entry)
  }

  /// The results of its comparisons of the place; `text` has those of the line's text.
  public func findings(ofPlace record: Record, text: FilterFindings? = nil) -> FilterFindings {
    let none: [UInt8] = []
    return findings(ofPlace: record, bytes: none.span, text: text)
  }

  /// The same; `bytes` has what is captured.
  public func findings(
    ofPlace record: Record,
    bytes: Span<UInt8>,
    text: FilterFindings?
  ) -> FilterFindings {
    var (findings, texts) = (FilterFindings(), 0)
    for part in parts.ofPlace {
      if let text, part.source != .place, texts < text.count {
        findings.append(text[texts])
        texts += 1
      } else {
        findings.append(verdict(of: part.comparison, Subject(record, .whole), bytes))
      }
    }
    return findings
  }

  /// The results of its comparisons of a line's text, without the line end, and of the values that are
  /// captured in it.
  public func findings(
    ofText line: Span<UInt8>,
    capturing values: [[UInt8]] = []
  ) -> FilterFindings {
    var findings = FilterFindings()
    var captured: (subject: Subject, bytes: [UInt8])?
    for part in parts.ofPlace where part.source != .place {
      if part.source == .text {
        findings.append(FilterVerdict(part.comparison.holds(forText: line)))
        continue
      }
      let known = captured ?? Self.captured(values)
      captured = known
      findings.append(verdict(of: part.comparison, known.subject, known.bytes.span))
    }
    return findings
  }

  /// The results of its comparisons of a line, with what is captured in it, and the time of it in
  /// milliseconds since 1970 UTC.
  package func findings(
    ofLine line: Span<UInt8>,
    at time: Int64,
    capturing values: [[UInt8]]
  ) -> FilterFindings {
    let text = findings(ofText: line, capturing: values)
    guard parts.ofPlace.contains(where: { $0.source == .place }) else { return text }
    var record = Record(address: nil, status: .ok)
    record.place = Place(time: time)
    return findings(ofPlace: record, text: text)
  }

  private static func captured(_ values: [[UInt8]]) -> (Subject, [UInt8]) {
    var block = RecordBlock()
    block.records = [Record(address: nil, status: .ok)]
    if !values.isEmpty { block.capture(values, at: 0) }
    return (Subject(block.records[0], .whole), block.bytes)
  }

  /// The results of its other comparisons.
  public func findings(ofAnswer record: Record, bytes: Span<UInt8>) -> FilterFindings {
    findings(record, bytes)
  }

  /// The same before the sources that are asked have answered.
  package func findings(ofProvided record: Record, bytes: Span<UInt8>) -> FilterFindings {
    findings(record, bytes, .answered)
  }

  /// Whether an occurrence of an address is excluded; without a place, whether all of them are.
  public func excludes(_ answer: FilterFindings, at place: FilterFindings?) -> Bool {
    verdict(of: answer, at: place) == .no
  }

  /// The verdict about an occurrence of an address; totals are open.
  public func verdict(of answer: FilterFindings, at place: FilterFindings?) -> FilterVerdict {
    verdict(of: head, answer, place) { _ in .open }
  }

  /// The verdict about an occurrence of an address, of whose answer that of its day is left.
  func verdict(of answer: FilterFindings, at sight: SightingBook.Sight) -> FilterVerdict {
    verdict(of: sight.answer?.completed(by: answer) ?? answer, at: sight.place)
  }

  /// The verdict of the condition or its head; `ofTotals` is called with each comparison of totals.
  func verdict(
    of condition: FilterCondition,
    _ answer: FilterFindings,
    _ place: FilterFindings?,
    ofTotals: (FilterCondition) -> FilterVerdict
  ) -> FilterVerdict {
    var (number, answers, places) = (0, 0, 0)
    return condition.verdict { comparison in
      defer { number += 1 }
      switch parts.all[number].source {
      case .text, .captured, .place:
        defer { places += 1 }
        return place?[places] ?? .open
      case .total: return ofTotals(comparison)
      case .other:
        defer { answers += 1 }
        return answer[answers]
      }
    }
  }

  /// The condition; its comparisons are those of the head, and then those of the tail.
  var whole: FilterCondition { tail.map { .all([head, $0]) } ?? head }

  private func findings(
    _ record: Record,
    _ bytes: Span<UInt8>,
    _ stage: Subject.Stage = .whole
  ) -> FilterFindings {
    var findings = FilterFindings()
    for part in parts.others {
      findings.append(verdict(of: part.comparison, Subject(record, stage), bytes))
    }
    return findings
  }
}

// MARK: - Records

extension Filter {
  /// The verdict about a record; if occurrences are judged, about those that it stands for.
  func verdict(
    about record: Record,
    _ bytes: Span<UInt8>,
    _ stage: Subject.Stage
  ) -> FilterVerdict {
    guard let scene = sightings?.scene(of: record) else {
      return verdict(of: condition, Subject(record, stage), bytes)
    }
    let answer = findings(record, bytes, stage)
    let verdict = verdict(of: answer, at: scene.own)
    guard let tail, verdict != .no else { return verdict }
    var counted = record
    counted.totals = totals(in: scene, answer)
    return self.verdict(of: tail, Subject(counted, stage), bytes) == .no ? .no : verdict
  }

  /// Whether an earlier record of the same address stays, so that this one repeats it.
  package func isRepeated(_ record: Record, bytes: Span<UInt8>) -> Bool {
    guard !isDecidedEarly, let scene = sightings?.scene(of: record), !scene.earlier.isEmpty else {
      return false
    }
    let answer = findings(ofAnswer: record, bytes: bytes)
    return scene.earlier.contains { verdict(of: answer, at: $0) != .no }
  }

  /// The totals of the occurrences of a record that stay; `nil` if no answer decides which do.
  package func totals(of record: Record, bytes: Span<UInt8>) -> Totals? {
    guard !isDecidedEarly, let scene = sightings?.scene(of: record), !scene.totals.isEmpty else {
      return nil
    }
    return totals(in: scene, findings(ofAnswer: record, bytes: bytes))
  }

  private func totals(in scene: SightingBook.Scene, _ answer: FilterFindings) -> Totals {
    scene.totals.reduce(into: Totals()) { sum, part in
      if verdict(of: answer, at: part.sight) != .no { sum += part.totals }
    }
  }
}

extension FilterCondition {
  /// Whether a comparison of a text is true.
  fileprivate func holds(forText text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return false }
    if case .isLike(_, let wildcard) = self { return wildcard.matches(text) }
    let value = FilterLiteral.text(text.indices.map { text[$0] }, number: nil)
    return switch self {
    case .isSet: true
    case .compares(_, let sign, let literal): value.isSo(sign, literal)
    case .isOneOf(_, let literals): value.isOne(of: literals)
    case .isNoneOf(_, let literals): !value.isOne(of: literals)
    case .isLike, .liesIn, .not, .all, .any: false
    }
  }

  /// The result of the whole condition; `next` is called with each comparison, in order.
  fileprivate func verdict(of next: (FilterCondition) -> FilterVerdict) -> FilterVerdict {
    switch self {
    case .not(let inner): return inner.verdict(of: next).contrary
    case .all(let parts): return Self.first(.no, else: .yes, of: parts, next)
    case .any(let parts): return Self.first(.yes, else: .no, of: parts, next)
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf, .liesIn: return next(self)
    }
  }

  /// The deciding verdict if any part has it, else open if any part is open, else the other one.
  private static func first(
    _ deciding: FilterVerdict,
    else other: FilterVerdict,
    of parts: [FilterCondition],
    _ next: (FilterCondition) -> FilterVerdict
  ) -> FilterVerdict {
    var whole = other
    // All are evaluated, since each consumes its own result.
    for part in parts {
      let verdict = part.verdict(of: next)
      if whole != deciding, verdict != other { whole = verdict }
    }
    return whole
  }
}
