/// What the comparisons of a condition come to, each by itself, in their order.
public struct FilterFindings: Hashable, Sendable {
  fileprivate let verdicts: [FilterVerdict]
}

/// A condition in two halves, for whoever meets an address often and has its answer once: what it says
/// of a place (the line and the input), and what of the rest.
extension Filter {
  /// Whether it matters on which line and in which input an address was met.
  public var dependsOnPlace: Bool { !fields.isDisjoint(with: [.line, .input]) }

  /// What its comparisons of the line and the input come to.
  ///
  /// - Parameter record: Tells both.
  /// - Returns: What they come to.
  public func findings(ofPlace record: Record) -> FilterFindings {
    let none: [UInt8] = []
    return findings(record, none.span, ofPlace: true)
  }

  /// What its other comparisons come to.
  ///
  /// - Parameters:
  ///   - record: The record as it would be written.
  ///   - bytes: Where its texts lie.
  /// - Returns: What they come to.
  public func findings(ofAnswer record: Record, bytes: Span<UInt8>) -> FilterFindings {
    findings(record, bytes, ofPlace: false)
  }

  /// Whether what was met at a place is left out.
  ///
  /// - Parameters:
  ///   - answer: What is known of the address.
  ///   - place: Where it was met; `nil` asks whether it is left out wherever that is.
  /// - Returns: Whether it is.
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
  /// What it is made of, in the order of the text.
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

  /// The verdict on the whole.
  ///
  /// - Parameter next: What the next comparison comes to, told whether it is one of a place.
  /// - Returns: The verdict.
  fileprivate func verdict(of next: (Bool) -> FilterVerdict) -> FilterVerdict {
    switch self {
    case .not(let inner): return inner.verdict(of: next).contrary
    case .all(let parts):
      // All of them are asked for, as each takes its own.
      let verdicts = parts.map { $0.verdict(of: next) }
      return verdicts.contains(.no) ? .no : verdicts.contains(.open) ? .open : .yes
    case .any(let parts):
      let verdicts = parts.map { $0.verdict(of: next) }
      return verdicts.contains(.yes) ? .yes : verdicts.contains(.open) ? .open : .no
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf, .liesIn: return next(isOfPlace)
    }
  }
}
