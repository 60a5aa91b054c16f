/// The comparisons of a condition, and what decides each of them.
struct FilterParts: Sendable {
  /// What decides a comparison.
  enum Source: Sendable {
    /// The text of a line, or what is captured in it.
    case text, captured
    /// What else is known of a place.
    case place
    /// Totals.
    case total
    /// The address and its answer.
    case other

    /// Whether it may differ between occurrences of an address.
    var isOfPlace: Bool { self == .text || self == .captured || self == .place }
  }

  /// A single comparison.
  struct Part: Sendable {
    let comparison: FilterCondition
    let source: Source

    fileprivate init(_ comparison: FilterCondition) {
      self.comparison = comparison
      let operand = comparison.operands.first
      source =
        switch operand {
        case let operand? where operand.isOfPlace:
          operand.field == .text ? .text : operand.isCaptured ? .captured : .place
        case let operand?: operand.isTotal ? .total : .other
        case nil: .other
        }
    }
  }

  /// All in the order of the text, those of the head first.
  let all: [Part]
  /// Those of the head that depend on the place.
  let ofPlace: [Part]
  /// Those that depend neither on the place nor on totals.
  let others: [Part]

  init(_ head: FilterCondition, _ tail: FilterCondition?) {
    let first = head.comparisons.map { Part($0) }
    all = first + (tail?.comparisons ?? []).map { Part($0) }
    ofPlace = first.filter(\.source.isOfPlace)
    others = all.filter { $0.source == .other }
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

  /// Its comparisons, in the order of the text.
  fileprivate var comparisons: [FilterCondition] {
    switch self {
    case .not(let inner): inner.comparisons
    case .all(let parts), .any(let parts): parts.flatMap(\.comparisons)
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf, .liesIn: [self]
    }
  }
}
