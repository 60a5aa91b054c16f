/// The results of a condition's comparisons, in order.
public struct FilterFindings: Hashable, Sendable {
  fileprivate let verdicts: [FilterVerdict]
}

/// Divides a condition into its comparisons of the place (line and input) and all others, for
/// addresses that occur often but have one answer.
extension Filter {
  /// Whether it depends on the line or the input of an address.
  public var dependsOnPlace: Bool { !fields.isDisjoint(with: [.line, .input]) }

  /// The results of its comparisons of the line and the input.
  ///
  /// - Parameter record: The record with both.
  /// - Returns: The results.
  public func findings(ofPlace record: Record) -> FilterFindings {
    let none: [UInt8] = []
    return findings(record, none.span, ofPlace: true)
  }

  /// The results of its other comparisons.
  ///
  /// - Parameters:
  ///   - record: The record to be written.
  ///   - bytes: The bytes of its texts.
  /// - Returns: The results.
  public func findings(ofAnswer record: Record, bytes: Span<UInt8>) -> FilterFindings {
    findings(record, bytes, ofPlace: false)
  }

  /// Whether an occurrence of an address is excluded.
  ///
  /// - Parameters:
  ///   - answer: The results for the address.
  ///   - place: The results for the place; `nil` asks whether it is excluded at every place.
  /// - Returns: Whether it is excluded.
  public func excludes(_ answer: FilterFindings, at place: FilterFindings?) -> Bool {
    var (answers, places) = (answer.verdicts.makeIterator(), place?.verdicts.makeIterator())
    let verdict = condition.verdict(of: { isOfPlace in
      (isOfPlace ? places?.next() : answers.next()) ?? .open
    })
    return verdict == .no
  }

  private func findings(
    _ record: Record,
    _ bytes: Span<UInt8>,
    ofPlace isOfPlace: Bool
  ) -> FilterFindings {
    var verdicts: [FilterVerdict] = []
    for comparison in condition.comparisons where comparison.isOfPlace == isOfPlace {
      verdicts.append(verdict(of: comparison, Subject(record, .whole), bytes))
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

  /// The result of the whole condition.
  ///
  /// - Parameter next: Returns the next result; its parameter is true for a comparison of the
  ///   place.
  /// - Returns: The result.
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
