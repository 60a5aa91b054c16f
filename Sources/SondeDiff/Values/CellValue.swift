import SondeRecords

/// What the form of a file says about the type of a value.
enum CellType: UInt8 {
  /// Nothing, as in CSV.
  case plain
  case text
  case number
  case boolean
  /// A number of SQLite, which has no booleans but 0 and 1.
  case bit
}

/// A value of a record.
struct CellValue: Equatable {
  var type = CellType.plain
  var bytes: [UInt8] = []
}

/// How the values of a column are compared.
enum CellComparison {
  case text, number, flag
  /// By what the values look like, in columns unknown to Sonde.
  case open

  init(of name: String) {
    switch Field(name: name)?.type {
    case .number, .integer: self = .number
    case .boolean: self = .flag
    case .text, .time, .list: self = .text
    case nil: self = .open
    }
  }

  /// Whether two values mean the same; a missing one is empty.
  func areEqual(_ old: CellValue, _ new: CellValue) -> Bool {
    if old.bytes == new.bytes { return true }
    guard !old.bytes.isEmpty, !new.bytes.isEmpty else { return false }
    switch self {
    case .text: return false
    case .number: return Self.areNumbersEqual(old.bytes, new.bytes)
    case .flag:
      guard let old = old.truth, let new = new.truth else { return false }
      return old == new
    case .open:
      if old.type == .text || new.type == .text { return false }
      if old.isBoolean || new.isBoolean {
        guard old.type == .bit || new.type == .bit, let old = old.truth, let new = new.truth
        else { return false }
        return old == new
      }
      return Self.areNumbersEqual(old.bytes, new.bytes)
    }
  }

  /// A value as it is shown: SQLite's 0 and 1 are booleans in such a column.
  func text(_ value: CellValue) -> String {
    if case .flag = self, let truth = value.truth { return truth ? "true" : "false" }
    return String(decoding: value.bytes, as: UTF8.self)
  }

  /// Whether two texts are the same number; whole numbers of any length are compared exactly.
  private static func areNumbersEqual(_ old: [UInt8], _ new: [UInt8]) -> Bool {
    guard old.span.isJSONNumber, new.span.isJSONNumber else { return false }
    let texts = [old, new].map { String(decoding: $0, as: UTF8.self) }
    if texts.allSatisfy({ !$0.contains { ".eE".contains($0) } }) {
      let isZero = { (text: String) in text == "0" || text == "-0" }
      return texts.allSatisfy(isZero)
    }
    guard let old = Double(texts[0]), let new = Double(texts[1]), old.isFinite else { return false }
    return old == new
  }
}

extension CellValue {
  fileprivate var isBoolean: Bool {
    type != .bit && (bytes == Array("true".utf8) || bytes == Array("false".utf8))
  }

  /// The boolean that it means, also as SQLite writes it.
  fileprivate var truth: Bool? {
    switch bytes {
    case Array("true".utf8), Array("1".utf8): true
    case Array("false".utf8), Array("0".utf8): false
    default: nil
    }
  }
}
