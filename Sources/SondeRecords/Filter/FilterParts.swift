/// Some occurrences of an address that a condition does not distinguish: those with one answer, at
/// places of one kind.
package struct FilterPart: Sendable {
  /// The results of comparisons of the answer; see ``Filter/findings(ofAnswer:bytes:isMissing:)``.
  package var answer: FilterFindings
  /// The results of comparisons of the place.
  package var place: FilterFindings
  /// Their number, times and traffic.
  package var totals: Totals

  package init(_ answer: FilterFindings, at place: FilterFindings, _ totals: Totals) {
    (self.answer, self.place, self.totals) = (answer, place, totals)
  }
}

/// Judges all occurrences of an address at once, so that totals count those that stay.
extension Filter {
  /// Whether it depends on totals.
  package var dependsOnTotals: Bool { operands.contains(where: \.isTotal) }

  /// All its comparisons, in order.
  private var comparisons: [FilterCondition] {
    head.comparisons + (tail?.comparisons ?? [])
  }

  /// The results of its comparisons of neither place nor totals; before any request, the answer
  /// `isMissing`.
  package func findings(
    ofAnswer record: Record,
    bytes: Span<UInt8>,
    isMissing: Bool
  ) -> FilterFindings {
    let subject = Subject(record, isMissing ? .entry : .whole)
    var verdicts: [FilterVerdict] = []
    for comparison in comparisons where !comparison.isOfPlace && !comparison.isOfTotal {
      verdicts.append(verdict(of: comparison, subject, bytes))
    }
    return FilterFindings(verdicts: verdicts)
  }

  /// The verdict about each part of an address's occurrences.
  package func verdicts(of parts: [FilterPart]) -> [FilterVerdict] {
    guard dependsOnTotals else { return parts.map { verdict(of: $0.answer, at: $0.place) } }
    var (sum, isOpen) = (Totals(), false)
    for part in parts {
      // Without a tail, nothing is of single occurrences, and totals count all of them.
      let stays = tail == nil ? .yes : verdict(of: part.answer, at: part.place)
      if stays != .no { sum += part.totals }
      if stays == .open { isOpen = true }
    }
    let counts = findings(of: sum, isMost: isOpen)
    return parts.map { verdict(of: $0, counts) }
  }

  /// The results of comparisons of totals; those that are an upper bound say only what is not reached.
  private func findings(of totals: Totals, isMost: Bool) -> FilterFindings {
    var record = Record(address: nil, status: .ok)
    record.totals = totals
    let none: [UInt8] = []
    return FilterFindings(
      verdicts: comparisons.filter(\.isOfTotal).map { comparison in
        let verdict = verdict(of: comparison, Subject(record, .whole), none.span)
        return isMost && !(verdict == .no && comparison.isAtLeast) ? .open : verdict
      }
    )
  }

  private func verdict(of part: FilterPart, _ counts: FilterFindings) -> FilterVerdict {
    var answers = part.answer.verdicts.makeIterator()
    var places = part.place.verdicts.makeIterator()
    var totals = counts.verdicts.makeIterator()
    let next = { (comparison: FilterCondition) -> FilterVerdict in
      if comparison.isOfPlace { return places.next() ?? .open }
      return (comparison.isOfTotal ? totals.next() : answers.next()) ?? .open
    }
    let verdict = head.verdict(of: next)
    // Both are evaluated, since each consumes its own results.
    let rest = tail?.verdict(of: next) ?? .yes
    if verdict == .no || rest == .no { return .no }
    return verdict == .open || rest == .open ? .open : .yes
  }
}

extension FilterCondition {
  /// Whether it is one comparison, of a total.
  fileprivate var isOfTotal: Bool {
    switch self {
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf: operands.first?.isTotal ?? false
    case .liesIn, .not, .all, .any: false
    }
  }

  /// Whether it is true of all that is more, too.
  fileprivate var isAtLeast: Bool {
    switch self {
    case .compares(_, .greater, _), .compares(_, .greaterOrEqual, _): true
    default: false
    }
  }
}
