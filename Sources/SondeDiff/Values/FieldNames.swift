import SondeRecords

/// The columns whose values are kept for a comparison.
struct FieldChoice: Sendable {
  /// The columns that are compared only when they are named: they differ in every run.
  static let passing: Set<String> = Set(
    [Field.cached, .fetchedAt, .line, .message, .input, .offset].map(\.name)
  )

  /// The columns that the user names; empty for all that both files have.
  let named: [String]

  func keeps(_ name: String) -> Bool {
    if name == Field.ip.name { return true }
    return named.isEmpty ? !Self.passing.contains(name) : named.contains(name)
  }
}

/// The names of a file's kept columns; the index of a name is its number.
struct FieldNames {
  /// The most columns of a file.
  static let most = 1 << 16

  private(set) var all: [String] = []
  /// The numbers in the order of the columns.
  private(set) var order: [Int] = []
  private var numbers: [String: Int?] = [:]
  private let choice: FieldChoice

  init(_ choice: FieldChoice) { self.choice = choice }

  /// The number of a name, which stands behind another column the first time; `nil` for a column
  /// that is not kept.
  mutating func number(of name: String, behind previous: Int?) -> Int? {
    if let known = numbers[name] { return known }
    guard choice.keeps(name), all.count < Self.most else {
      if numbers.count < Self.most { numbers[name] = .some(nil) }
      return nil
    }
    let number = all.count
    numbers[name] = number
    all.append(name)
    let place = previous.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 }
    order.insert(number, at: place ?? (previous == nil && !order.isEmpty ? 0 : order.count))
    return number
  }

  /// The number of a known name.
  func number(of name: String) -> Int? { numbers[name] ?? nil }
}
