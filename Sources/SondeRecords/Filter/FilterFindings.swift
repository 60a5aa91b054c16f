/// The results of a condition's comparisons, in order.
public struct FilterFindings: Hashable, Sendable {
  fileprivate let verdicts: [FilterVerdict]
}

/// Divides a condition into its comparisons of the place (line and input) and all others, for
/// addresses that occur often but have one answer.
extension Filter {
  /// Whether it depends on the line or the input of an address.
  public var dependsOnPlace: Bool { !fields.isDisjoint(with: [.line, .input]) }

  /// The results of its other comparisons before any request.
  public func findings(ofEntry record: Record, bytes: Span<UInt8>) -> FilterFindings {
    findings(record, bytes, ofPlace: false, .entry)
  }

  /// The results of its comparisons of the line and the input.
  public func findings(ofPlace record: Record) -> FilterFindings {
    let none: [UInt8] = []
    return findings(record, none.span, ofPlace: true)
  }

  /// The results of its other comparisons.
  public func findings(ofAnswer record: Record, bytes: Span<UInt8>) -> FilterFindings {
    findings(record, bytes, ofPlace: false)
  }

  /// Whether an occurrence of an address is excluded; without a place, whether all of them are.
  public func excludes(_ answer: FilterFindings, at place: FilterFindings?) -> Bool {
    verdict(of: answer, at: place) == .no
  }

  /// The verdict about an occurrence of an address.
  public func verdict(of answer: FilterFindings, at place: FilterFindings?) -> FilterVerdict {
    var (answers, places) = (answer.verdicts.makeIterator(), place?.verdicts.makeIterator())
    return condition.verdict(of: { isOfPlace in
      (isOfPlace ? places?.next() : answers.next()) ?? .open
    })
  }

  private func findings(
    _ record: Record,
    _ bytes: Span<UInt8>,
    ofPlace isOfPlace: Bool,
    _ stage: Subject.Stage = .whole
  ) -> FilterFindings {
    var verdicts: [FilterVerdict] = []
    for comparison in condition.comparisons where comparison.isOfPlace == isOfPlace {
      verdicts.append(verdict(of: comparison, Subject(record, stage), bytes))
    }
    return FilterFindings(verdicts: verdicts)
  }
}

extension FilterCondition {
  /// Its comparisons, in the order of the text.
  fileprivate var comparisons: [FilterCondition] {
    switch self {
    case .not(let inner): inner.comparisons
    case .all(let parts), .any(let parts): parts.flatMap(\.comparisons)
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf, .liesIn: [self]
    }
  }

  /// Whether it compares the line or the input.
  fileprivate var isOfPlace: Bool {
    switch self {
    case .isSet(let operand), .compares(let operand, _, _), .isLike(let operand, _),
      .isOneOf(let operand, _), .isNoneOf(let operand, _):
      operand.field == .line || operand.field == .input
    case .liesIn, .not, .all, .any: false
    }
  }

  /// The result of the whole condition; `next` is called with true for a comparison of the place.
  fileprivate func verdict(of next: (Bool) -> FilterVerdict) -> FilterVerdict {
    switch self {
    case .not(let inner): return inner.verdict(of: next).contrary
    case .all(let parts):
      // All are evaluated, since each consumes its own result.
      let verdicts = parts.map { $0.verdict(of: next) }
      return verdicts.contains(.no) ? .no : verdicts.contains(.open) ? .open : .yes
    case .any(let parts):
      let verdicts = parts.map { $0.verdict(of: next) }
      return verdicts.contains(.yes) ? .yes : verdicts.contains(.open) ? .open : .no
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf, .liesIn: return next(isOfPlace)
    }
  }
}
