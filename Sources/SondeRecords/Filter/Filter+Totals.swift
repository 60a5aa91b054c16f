/// Judges addresses whose occurrences are counted by place, at their end.
extension Filter {
  /// Whether it depends on totals.
  public var dependsOnTotals: Bool { operands.contains(where: \.isTotal) }

  /// The verdicts about the occurrences of an address, which are divided by place.
  ///
  /// Totals count the occurrences that stay. While the answer is missing that decides which do, only
  /// what no answer could change is decided.
  package func verdicts(
    of answer: FilterFindings,
    at parts: [(place: FilterFindings, totals: Totals)]
  ) -> [FilterVerdict] {
    // Without a comparison of the place, all occurrences stay or none.
    let isAlike = dependsOnTotals && tail == nil
    let heads = parts.map { isAlike ? FilterVerdict.yes : verdict(of: answer, at: $0.place) }
    guard dependsOnTotals else { return heads }
    var (least, most) = (Totals(), Totals())
    for (part, head) in zip(parts, heads) {
      if head == .yes { least += part.totals }
      if head != .no { most += part.totals }
    }
    return zip(parts, heads).map { part, head in
      guard head != .no else { return .no }
      // What these occurrences are only matters if they stay themselves.
      var own = least
      if head == .open { own += part.totals }
      return verdict(of: whole, answer, part.place) { verdict(of: $0, from: own, to: most) }
    }
  }

  /// The verdict of a comparison of totals that lie between others.
  private func verdict(
    of comparison: FilterCondition,
    from least: Totals,
    to most: Totals
  ) -> FilterVerdict {
    let (low, high) = (verdict(of: comparison, for: least), verdict(of: comparison, for: most))
    if least == most { return high }
    // Any of them grows, or shrinks, with the occurrences that it counts.
    guard case .compares(let operand, let sign, _) = comparison, sign.isOfOrder,
      case .total(let value) = operand.value, least.has(value)
    else { return .open }
    return low == high ? low : .open
  }

  private func verdict(of comparison: FilterCondition, for totals: Totals) -> FilterVerdict {
    var record = Record(address: nil, status: .ok)
    record.totals = totals
    let none: [UInt8] = []
    return verdict(of: comparison, Subject(record, .whole), none.span)
  }
}

extension Record {
  /// The record with the totals of one hit at its time, if it counts none.
  package var counted: Record {
    guard totals?.hits ?? 0 == 0 else { return self }
    var (record, totals) = (self, totals ?? Totals())
    totals.add(1, at: place.time.map { $0...$0 })
    record.totals = totals
    return record
  }
}

extension FilterComparison {
  /// Whether it compares by order.
  fileprivate var isOfOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .equal, .different, .like: false
    }
  }
}

extension Totals {
  /// Counts occurrences at times in milliseconds since 1970 UTC, with the length of a packet.
  package mutating func add(_ hits: Int, at times: ClosedRange<Int64>?, packet: UInt64? = nil) {
    self.hits &+= UInt64(hits)
    if let packet { addPacket(packet, at: nil) }
    note(times?.lowerBound)
    note(times?.upperBound)
  }
}
