import SondeAddresses
import SondeSystem

extension Filter {
  func verdict(
    of condition: FilterCondition,
    _ subject: Subject,
    _ bytes: Span<UInt8>
  ) -> FilterVerdict {
    switch condition {
    case .not(let inner): return verdict(of: inner, subject, bytes).contrary
    case .all(let parts):
      var whole = FilterVerdict.yes
      for part in parts {
        let verdict = verdict(of: part, subject, bytes)
        if verdict == .no { return .no }
        if verdict == .open { whole = .open }
      }
      return whole
    case .any(let parts):
      var whole = FilterVerdict.no
      for part in parts {
        let verdict = verdict(of: part, subject, bytes)
        if verdict == .yes { return .yes }
        if verdict == .open { whole = .open }
      }
      return whole
    case .liesIn(let sets):
      guard let address = subject.record.address else { return .no }
      return FilterVerdict(sets.contains { $0.contains(address) })
    case .isSet(let operand):
      guard subject.knows(operand) else { return .open }
      return FilterVerdict(isSet(operand, subject.record, bytes))
    case .compares(let operand, let sign, let literal):
      return verdict(of: operand, subject, bytes) { $0.isSo(sign, literal) }
    case .isOneOf(let operand, let literals):
      return verdict(of: operand, subject, bytes) { $0.isOne(of: literals) }
    case .isNoneOf(let operand, let literals):
      let isOne = verdict(of: operand, subject, bytes) { $0.isOne(of: literals) }
      guard isOne == .no else { return isOne.contrary }
      return verdict(of: operand, subject, bytes) { _ in true }
    case .isLike(let operand, let wildcard):
      guard subject.knows(operand) else { return .open }
      let texts = texts(of: operand, subject.record, bytes)
      return FilterVerdict(texts.contains { wildcard.matches($0.span) })
    }
  }

  private func isSet(_ operand: FilterOperand, _ record: Record, _ bytes: Span<UInt8>) -> Bool {
    let value = value(of: operand, record, bytes)
    if case .flag(let isSet) = value { return isSet }
    return value != nil
  }

  /// Whether a predicate is true for the value of a field, or for any value of a list.
  private func verdict(
    of operand: FilterOperand,
    _ subject: Subject,
    _ bytes: Span<UInt8>,
    _ isSo: (FilterLiteral) -> Bool
  ) -> FilterVerdict {
    guard subject.knows(operand) else { return .open }
    guard operand.value.isList else {
      return FilterVerdict(value(of: operand, subject.record, bytes).map(isSo) ?? false)
    }
    let texts = texts(of: operand, subject.record, bytes)
    return FilterVerdict(texts.contains { isSo(.text($0, number: nil)) })
  }

  /// The texts of a list, or the text of a value; empty if there is none.
  private func texts(
    of operand: FilterOperand,
    _ record: Record,
    _ bytes: Span<UInt8>
  ) -> [[UInt8]] {
    let text = text(of: operand, record, bytes)
    guard operand.value.isList else { return text.isEmpty ? [] : [text] }
    return text.split(separator: AddedValues.separator).map { Array($0) }
  }

  /// A value for comparison; `nil` if there is none.
  private func value(
    of operand: FilterOperand,
    _ record: Record,
    _ bytes: Span<UInt8>
  ) -> FilterLiteral? {
    switch operand.value {
    case .address: return record.address.map { .address($0) }
    case .coordinate(let coordinate):
      return record[coordinate].isFinite ? .number(record[coordinate]) : nil
    case .count(let count): return record[count].map { .number(Double($0)) }
    case .flag(let flag): return record[flag].map { .flag($0) }
    case .total(let value):
      guard let totals = totals(of: record) else { return nil }
      if let number = totals.number(value) { return .number(Double(number)) }
      return totals.seconds(value).map { .moment($0 * 1000) }
    // As the field is written, in whole seconds.
    case .occurrence(.time):
      return record.place.time.map { time in .moment(time - (time % 1000 + 1000) % 1000) }
    case .occurrence(.hourOfDay):
      let text = text(of: operand, record, bytes)
      return Double(String(decoding: text, as: UTF8.self)).map { .number($0) }
    case .moment: return record.fetchedAt.map { .moment($0 * 1000) }
    case .added(.number):
      let text = text(of: operand, record, bytes)
      if let number = Double(String(decoding: text, as: UTF8.self)) { return .number(number) }
    case .added(.flag):
      let text = text(of: operand, record, bytes)
      return text.isEmpty ? nil : .flag(text.elementsEqual("true".utf8))
    case .input, .source, .status, .text, .occurrence, .added: break
    }
    let text = text(of: operand, record, bytes)
    return text.isEmpty ? nil : .text(text, number: nil)
  }

  /// The text of a value; empty if there is none.
  func text(of operand: FilterOperand, _ record: Record, _ bytes: Span<UInt8>) -> [UInt8] {
    switch operand.value {
    case .address: return Self.text(ofAddressIn: record, bytes)
    case .text(let field): return Self.copy(record[field], of: bytes)
    case .input:
      let input = Int(record.place.input)
      return inputs.indices.contains(input) ? Array(inputs[input].utf8) : []
    case .source:
      guard let number = record.source.map({ Int($0.number) }), sources.indices.contains(number)
      else { return [] }
      return Array(sources[number].utf8)
    case .total(let value):
      return [UInt8](capacity: 64) { $0.append(value, of: totals(of: record)) }
    // That of a record read from a file; of lines, it is judged by itself.
    case .occurrence(.text): return []
    case .occurrence(let value):
      return record.place.time.map { Array(value.text(of: $0, in: zone).utf8) } ?? []
    case .added:
      return added.value(operand.column, of: operand.source, in: record, bytes: bytes)
    case .status, .moment, .coordinate, .count, .flag:
      return [UInt8](capacity: 64) { $0.append(plain: operand.value, of: record) }
    }
  }

  private func totals(of record: Record) -> Totals? {
    record.totals ?? sightings?.totals(of: record)
  }

  private static func text(ofAddressIn record: Record, _ bytes: Span<UInt8>) -> [UInt8] {
    guard let address = record.address else { return [] }
    var text: [UInt8] = []
    address.append(to: &text)
    let zone = copy(record[.item], of: bytes)
    return zone.isEmpty ? text : text + [UInt8(ascii: "%")] + zone
  }

  private static func copy(_ range: TextRange, of bytes: Span<UInt8>) -> [UInt8] {
    range.indices.map { bytes[$0] }
  }
}

extension FilterLiteral {
  func isOne(of others: [FilterLiteral]) -> Bool {
    others.contains { isSo(.equal, $0) }
  }

  /// Whether a comparison of this value with a literal is true.
  func isSo(_ sign: FilterComparison, _ other: FilterLiteral) -> Bool {
    switch (self, other) {
    case (.address(let left), .address(let right)): sign.holds(left, right)
    case (.number(let left), .number(let right)): sign.holds(left, right)
    case (.moment(let left), .moment(let right)): sign.holds(left, right)
    case (.flag(let left), .flag(let right)): sign.holds(left ? 1 : 0, right ? 1 : 0)
    case (.text(let left, _), .text(let right, let number)):
      if let number, let own = Double(plain: String(decoding: left, as: UTF8.self)) {
        sign.holds(own, number)
      } else {
        sign.holds(left, right)
      }
    default: false
    }
  }
}

extension FilterComparison {
  fileprivate func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .equal: left == right
    case .different: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    case .like: false
    }
  }

  fileprivate func holds(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    switch self {
    case .equal: left == right
    case .different: left != right
    case .less: left.lexicographicallyPrecedes(right)
    case .lessOrEqual: !right.lexicographicallyPrecedes(left)
    case .greater: right.lexicographicallyPrecedes(left)
    case .greaterOrEqual: !left.lexicographicallyPrecedes(right)
    case .like: false
    }
  }
}
