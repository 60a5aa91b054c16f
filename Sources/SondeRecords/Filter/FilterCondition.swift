public import SondeAddresses
import SondeSystem

/// The result of a condition: true, false or not yet known.
public enum FilterVerdict: UInt8, Sendable {
  case no, open, yes

  init(_ isSo: Bool) { self = isSo ? .yes : .no }

  var contrary: FilterVerdict {
    switch self {
    case .no: .yes
    case .open: .open
    case .yes: .no
    }
  }
}

/// A set of networks.
public protocol NetworkSet: Sendable {
  /// Whether a network contains an address.
  func contains(_ address: Address) -> Bool

  /// Which of some addresses a network contains.
  func contains(_ addresses: Span<Address>) -> [Bool]
}

extension NetworkSet {
  /// Which of some addresses a network contains, checked individually.
  public func contains(_ addresses: Span<Address>) -> [Bool] {
    addresses.indices.map { contains(addresses[$0]) }
  }
}

/// A field used in a condition.
struct FilterOperand: Sendable {
  let field: Field
  let value: FieldValue
  /// The index of the source that adds it, and of the column within that source; 0 for other
  /// fields.
  var source = 0
  var column = 0
  /// The number of that source among those that are asked; `nil` if it is not one of them.
  var asked: Int?
  /// Whether it depends on the AS number in the answer.
  var waitsForSystem = false
  /// Whether it comes with the line.
  var isCaptured = false

  /// Whether it is known before any request.
  var isKnownEarly: Bool {
    switch value {
    case .added: asked == nil && !waitsForSystem
    case .address, .input, .occurrence, .total, .count(.line), .count(.offset): true
    case .source, .status, .moment, .text, .coordinate, .flag: false
    case .count(.asn), .count(.accuracyRadius): false
    }
  }

  /// Whether it has a value only after an answer.
  var isAnswer: Bool {
    switch value {
    case .status, .text(.message): false
    default: !isKnownEarly
    }
  }

  /// Whether it is a total of all occurrences.
  var isTotal: Bool { if case .total = value { true } else { false } }

  /// Whether each occurrence of an address has its own value.
  var isOfPlace: Bool {
    switch value {
    case .occurrence, .input, .count(.line): true
    default: isCaptured
    }
  }

  /// Whether it is what stands in the line: its text or what is captured.
  var isOfText: Bool { isCaptured || field == .text }

  /// The type of its values for comparison.
  var type: FilterLiteral.Form {
    switch value {
    case .address: .address
    case .coordinate, .count, .added(.number), .occurrence(.hourOfDay): .number
    case .total(.hits), .total(.packets), .total(.bytes): .number
    case .flag, .added(.flag): .flag
    case .moment, .total(.firstSeen), .total(.lastSeen), .occurrence(.time): .moment
    case .input, .source, .status, .text, .occurrence, .added: .text
    }
  }

  /// Why its values cannot be compared this way, with a correction; `nil` if they can.
  func objection(to sign: FilterComparison) -> String? {
    let name = field.name
    switch (type, sign) {
    case (.number, .like) where field == .line:
      return "line is the number of a line, and ~ matches text: text is the line itself; or "
        + "compare the number by = or <"
    case (.number, .like): return "\(name) is a number, and ~ matches text: compare it by = or <"
    case (.flag, .like):
      return "\(name) is true or false, and ~ matches text: write \(name) or not \(name)"
    case (.flag, .less), (.flag, .lessOrEqual), (.flag, .greater), (.flag, .greaterOrEqual):
      return "\(name) is true or false, and neither is the greater"
    default: return nil
    }
  }
}

/// A literal for comparison.
enum FilterLiteral: Sendable {
  enum Form: Sendable { case address, number, flag, moment, text }

  case address(Address)
  case number(Double)
  case flag(Bool)
  /// A time in milliseconds since 1970 UTC.
  case moment(Int64)
  /// A text, and its numeric value unless it is quoted.
  case text([UInt8], number: Double?)
}

/// The syntax tree of a condition.
indirect enum FilterCondition: Sendable {
  case all([FilterCondition])
  case any([FilterCondition])
  case not(FilterCondition)
  /// Whether there is a value; for a boolean, whether it is true.
  case isSet(FilterOperand)
  case compares(FilterOperand, FilterComparison, FilterLiteral)
  case isLike(FilterOperand, Wildcard)
  case isOneOf(FilterOperand, [FilterLiteral])
  case isNoneOf(FilterOperand, [FilterLiteral])
  case liesIn([any NetworkSet])

  /// Whether it depends only on the networks of an address.
  var isAboutNetworks: Bool {
    switch self {
    case .liesIn: true
    case .not(let inner): inner.isAboutNetworks
    case .all(let parts), .any(let parts): parts.allSatisfy(\.isAboutNetworks)
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf: false
    }
  }

  /// For which addresses it is true, if it depends only on networks.
  func holds(for addresses: Span<Address>) -> [Bool] {
    func joined(_ all: [[Bool]], _ join: (Bool, Bool) -> Bool) -> [Bool] {
      all.dropFirst().reduce(all.first ?? []) { zip($0, $1).map(join) }
    }
    switch self {
    case .liesIn(let sets): return joined(sets.map { $0.contains(addresses) }) { $0 || $1 }
    case .not(let inner): return inner.holds(for: addresses).map { !$0 }
    case .all(let parts): return joined(parts.map { $0.holds(for: addresses) }) { $0 && $1 }
    case .any(let parts): return joined(parts.map { $0.holds(for: addresses) }) { $0 || $1 }
    case .isSet, .compares, .isLike, .isOneOf, .isNoneOf: return []
    }
  }
}

extension AddressRanges: NetworkSet {}
