import SondeAddresses

/// A condition that records are chosen by: `country_code = CN and not aws_network`.
///
/// A value; it opens no files but when it is made.
public struct Filter: Sendable {
  let condition: FilterCondition
  let added: AddingSources
  let sources: [String]

  /// What the inputs are called, by their numbers.
  public var inputs: [String] = []
  /// What is counted of the addresses of captures, where that is asked for.
  public var traffic: Traffic?

  /// The fields that it names.
  public let fields: Set<Field>

  /// Those that have no value before a provider has answered, in the order of the condition.
  public let answers: [Field]

  /// Whether nobody need be asked to decide it.
  public let isDecidedEarly: Bool

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
    isDecidedEarly = parser.operands.allSatisfy(\.isKnownEarly)
    tokens = parser.tokens
    files = tokens.compactMap { if case .file(let name) = $0.kind { name } else { nil } }
    (self.added, self.sources) = (AddingSources(added), sources)
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
    verdict(of: condition, Subject(record, .entry), bytes)
  }

  /// Whether a record is left out.
  ///
  /// Invalid entries are not, nor are those that had no answer and of which only that could tell: a
  /// loss is not hidden.
  ///
  /// - Parameters:
  ///   - record: The record as it would be written.
  ///   - bytes: Where its texts lie.
  ///   - isUnaided: Whether the sources that are asked have not answered yet.
  /// - Returns: Whether it is.
  public func excludes(
    _ record: Record,
    bytes: Span<UInt8>,
    unaided isUnaided: Bool = false
  ) -> Bool {
    guard record.status != .invalid else { return false }
    return verdict(of: condition, Subject(record, isUnaided ? .answered : .whole), bytes) == .no
  }

  /// Which of some entries are left out, where nobody need be asked to decide that.
  public func excluded(of entries: RecordBlock) -> [Bool] {
    let records = entries.records
    guard condition.isAboutNetworks else {
      let bytes = entries.bytes.span
      return records.map { excludes($0, bytes: bytes) }
    }
    // Only an invalid entry has no address, and is left out by nothing.
    let addresses = records.map { $0.address ?? Address(high: 0, low: 0) }
    let isSo = condition.holds(for: addresses.span)
    return zip(records, isSo).map { $0.status != .invalid && !$1 }
  }

  /// A record with how much of it is known.
  struct Subject {
    enum Stage {
      /// Nobody was asked.
      case entry
      /// The providers have answered.
      case answered
      /// So have the sources that are asked.
      case whole
    }

    let record: Record
    let stage: Stage

    init(_ record: Record, _ stage: Stage) { (self.record, self.stage) = (record, stage) }

    func knows(_ operand: FilterOperand) -> Bool {
      if operand.isKnownEarly { return true }
      switch operand.value {
      // Of one without an answer it says why.
      case .status, .text(.message): return stage != .entry
      case .added(let form):
        guard stage == .whole, let source = operand.asked else { return false }
        return form == .status
          || !record.faults.hasFailed(source) && !record.faults.hasLost(source)
      default:
        return stage != .entry && record.status != .failed && record.status != .networkLost
      }
    }
  }
}
