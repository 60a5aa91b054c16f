public import SondeAddresses
public import SondeSystem

/// A condition that selects records: `country_code = CN and not aws_network`.
///
/// It is a value, and opens files only when it is created.
public struct Filter: Sendable {
  /// The parsed text, which is immutable and shared by copies.
  private let clause: FilterClause

  /// The names of the inputs, by number.
  public var inputs: [String] = []
  /// The occurrences of addresses, if they are counted or judged one by one.
  public var sightings: Sightings?
  /// The zone of hours and days.
  public var zone = TimeZoneRules.utc

  var condition: FilterCondition { clause.condition }
  /// The parts of the condition without totals, and those with them, if occurrences are judged.
  var head: FilterCondition { clause.head }
  var tail: FilterCondition? { clause.tail }
  /// Their comparisons.
  var parts: FilterParts { clause.parts }
  var added: AddingSources { clause.added }
  var sources: [String] { clause.sources }

  /// The fields that it uses.
  public var fields: Set<Field> { clause.fields }

  /// The fields without a value until a provider has answered, in the order of the condition.
  public var answers: [Field] { clause.answers }

  /// Whether it can be evaluated without a request.
  public var isDecidedEarly: Bool { clause.isDecidedEarly }

  /// The files of networks that it uses.
  public var files: [String] { clause.files }

  /// The fields as they stand in the condition, in order.
  var operands: [FilterOperand] { clause.operands }

  /// Parses a condition.
  ///
  /// - Parameters:
  ///   - text: `FIELD = VALUE` and other comparisons, joined by `and`, `or`, `not` and brackets.
  ///   - added: The sources of added columns.
  ///   - sources: The names of the providers, by the numbers of ``Source``.
  ///   - missingOption: Returns the missing option that would add a column; `nil` for none.
  ///   - moment: Parses a time into milliseconds since 1970 UTC; returns `nil` if it is none.
  ///   - networks: Opens a file of networks.
  /// - Throws: ``FilterError``.
  public init(
    _ text: String,
    adding added: [any ColumnSource] = [],
    answeredBy sources: [String] = [],
    missingOption: @escaping (String) -> String? = { _ in nil },
    moment: @escaping (String) -> Int64? = { _ in nil },
    networks: @escaping (String) throws(FilterFileError) -> any NetworkSet
  ) throws(FilterError) {
    let vocabulary = FilterVocabulary(
      adding: added,
      answeredBy: sources,
      missingOption: missingOption,
      moment: moment,
      networks: networks
    )
    let parser = try FilterParser(text, vocabulary)
    clause = try FilterClause(parser, AddingSources(added), sources)
  }

  /// The normalised condition, the same for the same words and files; `path` normalises a path.
  public func spelling(path: (String) -> String) -> String {
    clause.tokens.dropLast().map { $0.spelling(path) }.joined(separator: " ")
  }

  /// Evaluates the condition by the address and its networks, before any request.
  ///
  /// It is ``FilterVerdict/no`` if no answer could make it true.
  public func verdict(beforeAsking record: Record, bytes: Span<UInt8>) -> FilterVerdict {
    verdict(about: record, bytes, .entry)
  }

  /// The verdicts about some addresses, for a condition that depends on networks alone; `nil` for
  /// any other.
  public func verdicts(byNetworksOf addresses: Span<Address>) -> [FilterVerdict]? {
    guard condition.isAboutNetworks else { return nil }
    return condition.holds(for: addresses).map { FilterVerdict($0) }
  }

  /// Whether a record is excluded; `isUnaided` before the sources that are asked have answered.
  ///
  /// Invalid entries are never excluded, nor are records without the answer on which the condition
  /// depends, so that losses are not hidden.
  public func excludes(
    _ record: Record,
    bytes: Span<UInt8>,
    unaided isUnaided: Bool = false
  ) -> Bool {
    guard record.status != .invalid else { return false }
    return verdict(about: record, bytes, isUnaided ? .answered : .whole) == .no
  }

  /// The result for a record; it is ``FilterVerdict/open`` if an answer is missing.
  public func verdict(of record: Record, bytes: Span<UInt8>) -> FilterVerdict {
    verdict(about: record, bytes, .whole)
  }

  /// The texts of its fields in a record, in the order of the condition; empty where one is missing.
  ///
  /// So `user and ip` reads a user and an address. `line` is the text of the record's line.
  public func texts(of record: Record, bytes: Span<UInt8>, line: [UInt8]) -> [[UInt8]] {
    operands.map { $0.field == .text ? line : text(of: $0, record, bytes) }
  }

  /// Which of some entries are excluded, for a condition that needs no request.
  public func excluded(of entries: RecordBlock) -> [Bool] {
    let records = entries.records
    guard condition.isAboutNetworks else {
      let bytes = entries.bytes.span
      return records.map { excludes($0, bytes: bytes) }
    }
    // Only an invalid entry has no address, and it is never excluded.
    let addresses = records.map { $0.address ?? Address(high: 0, low: 0) }
    let isSo = condition.holds(for: addresses.span)
    return zip(records, isSo).map { $0.status != .invalid && !$1 }
  }

  /// A record and how much of it is known.
  struct Subject {
    enum Stage {
      /// Nothing was requested.
      case entry
      /// The providers have answered.
      case answered
      /// The sources that are asked have answered, too.
      case whole
    }

    let record: Record
    let stage: Stage

    init(_ record: Record, _ stage: Stage) { (self.record, self.stage) = (record, stage) }

    func knows(_ operand: FilterOperand) -> Bool {
      if operand.isKnownEarly { return true }
      switch operand.value {
      // Without an answer, it contains the reason.
      case .status, .text(.message): return stage != .entry
      case .added(let form) where !operand.waitsForSystem:
        guard stage == .whole, let source = operand.asked else { return false }
        return form == .status || !record.faults.hasFailed(source) && !record.faults.hasLost(source)
      default:
        return stage != .entry && record.status != .failed && record.status != .networkLost
      }
    }
  }
}

/// The parsed text of a condition.
private final class FilterClause: Sendable {
  let condition: FilterCondition
  let head: FilterCondition
  let tail: FilterCondition?
  let parts: FilterParts
  let added: AddingSources
  let sources: [String]
  let operands: [FilterOperand]
  let fields: Set<Field>
  let answers: [Field]
  let isDecidedEarly: Bool
  let tokens: [FilterToken]
  let files: [String]

  init(
    _ parser: FilterParser,
    _ added: AddingSources,
    _ sources: [String]
  ) throws(FilterError) {
    var parser = parser
    condition = try parser.condition()
    (head, tail) = try parser.divided(condition)
    parts = FilterParts(head, tail)
    operands = parser.operands
    fields = Set(operands.map(\.field))
    answers = operands.filter(\.isAnswer).map(\.field)
    isDecidedEarly = operands.allSatisfy(\.isKnownEarly)
    tokens = parser.tokens
    files = tokens.compactMap { if case .file(let name) = $0.kind { name } else { nil } }
    (self.added, self.sources) = (added, sources)
  }
}
