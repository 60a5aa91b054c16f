import Addresses

/// A condition that records are chosen by: `country_code = CN and not aws_network`.
///
/// A value; it opens no files but when it is made.
public struct Filter: Sendable {
  private let condition: FilterCondition
  private let added: [any ColumnSource]
  private let sources: [String]

  /// What the inputs are called, by their numbers.
  public var inputs: [String] = []
  /// What is counted of the addresses of captures, where that is asked for.
  public var traffic: Traffic?

  /// The fields that it names.
  public let fields: Set<Field>

  /// Those that have no value before a provider has answered, in the order of the condition.
  public let answers: [Field]

  /// The files of networks that it names.
  public let files: [String]

  private let tokens: [FilterToken]

  /// Reads a condition.
  ///
  /// - Parameters:
  ///   - text: `FIELD = VALUE` and the like, joined by `and`, `or`, `not` and brackets.
  ///   - added: Who adds columns.
  ///   - sources: The names of those who answer, by the numbers of ``Source``.
  ///   - missingOption: What option a column wants that is not there; `nil` for none.
  ///   - networks: Opens a file of networks.
  /// - Throws: ``FilterError``.
  public init(
    _ text: String,
    adding added: [any ColumnSource] = [],
    answeredBy sources: [String] = [],
    missingOption: @escaping (String) -> String? = { _ in nil },
    networks: @escaping (String) throws(FilterFileError) -> any NetworkSet
  ) throws(FilterError) {
    let vocabulary = FilterVocabulary(
      adding: added,
      answeredBy: sources,
      missingOption: missingOption,
      networks: networks
    )
    var parser = try FilterParser(text, vocabulary)
    condition = try parser.condition()
    fields = Set(parser.operands.map(\.field))
    answers = parser.operands.filter(\.isAnswer).map(\.field)
    tokens = parser.tokens
    files = tokens.compactMap { if case .file(let name) = $0.kind { name } else { nil } }
    (self.added, self.sources) = (added, sources)
  }

  /// The condition in one spelling, the same for the same words and files.
  ///
  /// - Parameter path: Spells the path of a file.
  /// - Returns: The condition.
  public func spelling(path: (String) -> String) -> String {
    tokens.dropLast().map { $0.spelling(path) }.joined(separator: " ")
  }

  /// What can be said of an address before anybody is asked about it: what it is, and where it lies.
  ///
  /// - Parameters:
  ///   - record: The entry.
  ///   - bytes: Where its texts lie.
  /// - Returns: ``FilterVerdict/no`` where no answer could change that.
  public func verdict(beforeAsking record: Record, bytes: Span<UInt8>) -> FilterVerdict {
    verdict(of: condition, Subject(record, isAnswered: false), bytes)
  }

  /// Whether a record is left out.
  ///
  /// Invalid entries are not, nor are those that had no answer and of which only that could tell: a
  /// loss is not hidden.
  ///
  /// - Parameters:
  ///   - record: The record as it would be written.
  ///   - bytes: Where its texts lie.
  /// - Returns: Whether it is.
  public func excludes(_ record: Record, bytes: Span<UInt8>) -> Bool {
    guard record.status != .invalid else { return false }
    return verdict(of: condition, Subject(record, isAnswered: true), bytes) == .no
  }

  /// A record with how much of it is known.
  private struct Subject {
    let record: Record
    let isAnswered: Bool
    /// Whether what a provider says is known.
    let hasFacts: Bool

    init(_ record: Record, isAnswered: Bool) {
      (self.record, self.isAnswered) = (record, isAnswered)
      hasFacts = isAnswered && record.status != .failed && record.status != .networkLost
    }

    func knows(_ operand: FilterOperand) -> Bool {
      switch operand.value {
      case .status: isAnswered
      // Of one without an answer it says why.
      case .text(.message): isAnswered
      default: operand.isKnownEarly || hasFacts
      }
    }
  }

  // MARK: - Evaluation

  private func verdict(
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
      guard subject.knows(operand) else { return .open }
      return FilterVerdict(
        value(of: operand, subject.record, bytes)?.isSo(sign, literal) ?? false
      )
    case .isOneOf(let operand, let literals):
      guard subject.knows(operand) else { return .open }
      let value = value(of: operand, subject.record, bytes)
      return FilterVerdict(literals.contains { value?.isSo(.equal, $0) ?? false })
    case .isNoneOf(let operand, let literals):
      guard subject.knows(operand) else { return .open }
      guard let value = value(of: operand, subject.record, bytes) else { return .no }
      return FilterVerdict(!literals.contains { value.isSo(.equal, $0) })
    case .isLike(let operand, let wildcard):
      guard subject.knows(operand) else { return .open }
      let text = text(of: operand, subject.record, bytes)
      return FilterVerdict(!text.isEmpty && wildcard.matches(text))
    }
  }

  private func isSet(_ operand: FilterOperand, _ record: Record, _ bytes: Span<UInt8>) -> Bool {
    if case .flag(let flag) = operand.value { return record[flag] ?? false }
    return value(of: operand, record, bytes) != nil
  }

  /// A value as it is compared; `nil` where there is none.
  private func value(
    of operand: FilterOperand,
    _ record: Record,
    _ bytes: Span<UInt8>
  ) -> FilterLiteral? {
    switch operand.value {
    case .address: return record.address.map { .address($0) }
    case .coordinate(let coordinate):
      return record[coordinate].isFinite ? .number(record[coordinate]) : nil
    case .count(let count): return record[count] > 0 ? .number(Double(record[count])) : nil
    case .flag(let flag): return record[flag].map { .flag($0) }
    case .traffic(let value):
      guard let counts = traffic?.counts(of: record) else { return nil }
      if let number = counts.number(value) { return .number(Double(number)) }
    case .input, .source, .status, .moment, .text, .added: break
    }
    let text = text(of: operand, record, bytes)
    return text.isEmpty ? nil : .text(text, number: nil)
  }

  /// A value as it is written; nothing where there is none.
  private func text(
    of operand: FilterOperand,
    _ record: Record,
    _ bytes: Span<UInt8>
  ) -> [UInt8] {
    switch operand.value {
    case .address: return Self.text(ofAddressIn: record, bytes)
    case .text(let field): return Self.copy(record[field], of: bytes)
    case .input:
      return inputs.indices.contains(Int(record.input)) ? Array(inputs[Int(record.input)].utf8) : []
    case .source:
      guard let number = record.source.map({ Int($0.number) }), sources.indices.contains(number)
      else { return [] }
      return Array(sources[number].utf8)
    case .traffic(let value):
      return [UInt8](capacity: 64) { $0.append(value, of: traffic?.counts(of: record)) }
    case .added:
      guard let address = record.address else { return [] }
      var values = AddedValues()
      added[operand.source].append(valuesOf: address, to: &values)
      return Array(values.bytes[values[operand.column]])
    case .status, .moment, .coordinate, .count, .flag:
      return [UInt8](capacity: 64) { $0.append(plain: operand.value, of: record) }
    }
  }

  private static func text(ofAddressIn record: Record, _ bytes: Span<UInt8>) -> [UInt8] {
    guard let address = record.address else { return [] }
    var text: [UInt8] = []
    address.append(to: &text)
    let zone = copy(record[.item], of: bytes)
    return zone.isEmpty ? text : text + [UInt8(ascii: "%")] + zone
  }

  private static func copy(_ range: TextRange, of bytes: Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(Int(range.count))
    for index in Int(range.offset)..<Int(range.offset) + Int(range.count) {
      text.append(bytes[index])
    }
    return text
  }
}

extension FilterLiteral {
  /// Whether this value of a record compares so with a value of the condition.
  fileprivate func isSo(_ sign: FilterComparison, _ other: FilterLiteral) -> Bool {
    switch (self, other) {
    case (.address(let left), .address(let right)): sign.holds(left, right)
    case (.number(let left), .number(let right)): sign.holds(left, right)
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
