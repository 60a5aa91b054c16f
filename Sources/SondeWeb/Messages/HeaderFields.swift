/// The fields of a header in order (RFC 9110 §5).
public struct HeaderFields: Sendable {
  /// The names and values.
  public private(set) var fields: [(name: String, value: String)] = []

  /// Creates an empty header.
  public init() {}

  /// The first value of a name, ignoring case; setting it replaces all values.
  public subscript(name: String) -> String? {
    get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
    set {
      fields.removeAll { $0.name.equalsIgnoringCase(name) }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  /// Adds a field at the end.
  public mutating func append(_ name: String, _ value: String) { fields.append((name, value)) }

  /// All values of a name, in order.
  public func values(of name: String) -> [String] {
    fields.compactMap { $0.name.equalsIgnoringCase(name) ? $0.value : nil }
  }
}

extension StringProtocol {
  /// Whether two texts are equal except for the case of ASCII letters.
  func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension UInt8 {
  fileprivate var lowercasedASCII: UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
  }
}
