/// The results of a condition's comparisons, in order.
public struct FilterFindings: Hashable, Sendable {
  package let verdicts: [FilterVerdict]

  package init(verdicts: [FilterVerdict]) { self.verdicts = verdicts }

  /// These results, and others where they are open.
  func completed(by others: FilterFindings) -> FilterFindings {
    FilterFindings(verdicts: zip(verdicts, others.verdicts).map { $0 == .open ? $1 : $0 })
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
    var (texts, verdicts) = (text?.verdicts.makeIterator(), [FilterVerdict]())
    for comparison in head.comparisons where comparison.kind == .place {
      let known = comparison.isOfText ? texts?.next() : nil
      verdicts.append(known ?? verdict(of: comparison, Subject(record, .whole), bytes))
    }
    return FilterFindings(verdicts: verdicts)
  }

  /// The results of its comparisons of a line's text, without the line end, and of the values that are
  /// captured in it.
  public func findings(
    ofText line: Span<UInt8>,
    capturing values: [[UInt8]] = []
  ) -> FilterFindings {
    let text = fields.contains(.text) ? line.indices.map { line[$0] } : []
    var block = RecordBlock()
    block.records = [Record(address: nil, status: .ok)]
    if !values.isEmpty { block.capture(values, at: 0) }
    let subject = Subject(block.records[0], .whole)
    return FilterFindings(
      verdicts: head.comparisons.filter(\.isOfText).map { comparison in
        comparison.operands.first?.field == .text
          ? FilterVerdict(comparison.holds(forText: text))
          : verdict(of: comparison, subject, block.bytes.span)
      }
    )
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
    var (answers, places) = (answer.verdicts.makeIterator(), place?.verdicts.makeIterator())
    return condition.verdict(of: { comparison in
      switch comparison.kind {
      case .place: places?.next() ?? .open
      case .total: ofTotals(comparison)
      case .other: answers.next() ?? .open
      }
    })
  }

  /// The condition; its comparisons are those of the head, and then those of the tail.
  var whole: FilterCondition { tail.map { .all([head, $0]) } ?? head }

  private func findings(
    _ record: Record,
    _ bytes: Span<UInt8>,
    _ stage: Subject.Stage = .whole
  ) -> FilterFindings {
    var verdicts: [FilterVerdict] = []
    for comparison in whole.comparisons where comparison.kind == .other {
      verdicts.append(verdict(of: comparison, Subject(record, stage), bytes))
    }
    return FilterFindings(verdicts: verdicts)
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
  /// The fields that it uses, in the order of the text.
  var operands: [FilterOperand] {
    comparisons.compactMap { comparison in
      switch comparison {
      case .isSet(let operand), .compares(let operand, _, _), .isLike(let operand, _),
        .isOneOf(let operand, _), .isNoneOf(let operand, _):
        operand
      case .liesIn, .not, .all, .any: nil
      }
    }
  }

  /// Whether it compares the text of a line.
  fileprivate var isOfText: Bool { operands.first?.isOfText ?? false }

  /// Whether a comparison of a text is true.
  fileprivate func holds(forText text: [UInt8]) -> Bool {
    let value = FilterLiteral.text(text, number: nil)
    return switch self {
    case .isSet: !text.isEmpty
    case .compares(_, let sign, let literal): !text.isEmpty && value.isSo(sign, literal)
    case .isLike(_, let wildcard): !text.isEmpty && wildcard.matches(text)
    case .isOneOf(_, let literals): !text.isEmpty && value.isOne(of: literals)
    case .isNoneOf(_, let literals): !text.isEmpty && !value.isOne(of: literals)
    case .liesIn, .not, .all, .any: false
    }
  }

  /// Its comparisons, in the order of the text.
  fileprivate var comparisons: [FilterCondition] {
    switch self {
    case .not(let inner): inner.comparisons
    case .all(let parts), .any(let parts): parts.flatMap(\.comparisons)
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf, .liesIn: [self]
    }
  }

  /// What decides a single comparison.
  fileprivate enum Kind { case place, total, other }

  /// What decides it, if it is a single comparison.
  fileprivate var kind: Kind {
    switch self {
    case .isSet(let operand), .compares(let operand, _, _), .isLike(let operand, _),
      .isOneOf(let operand, _), .isNoneOf(let operand, _):
      operand.isOfPlace ? .place : operand.isTotal ? .total : .other
    case .liesIn, .not, .all, .any: .other
    }
  }

  /// The result of the whole condition; `next` is called with each comparison, in order.
  fileprivate func verdict(of next: (FilterCondition) -> FilterVerdict) -> FilterVerdict {
    switch self {
    case .not(let inner): return inner.verdict(of: next).contrary
    case .all(let parts):
      // All are evaluated, since each consumes its own result.
      let verdicts = parts.map { $0.verdict(of: next) }
      return verdicts.contains(.no) ? .no : verdicts.contains(.open) ? .open : .yes
    case .any(let parts):
      let verdicts = parts.map { $0.verdict(of: next) }
      return verdicts.contains(.yes) ? .yes : verdicts.contains(.open) ? .open : .no
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf, .liesIn: return next(self)
    }
  }
}
