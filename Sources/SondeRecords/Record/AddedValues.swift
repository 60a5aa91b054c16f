/// The status of a source for an address.
public enum AddedStatus: Sendable, Equatable {
  /// It has answered, with a status of its own.
  case named(String)
  /// All servers asked kept failing or refused.
  case failed
  /// The network was lost before an answer arrived.
  case networkLost

  /// The value in the source's status column.
  public var name: String {
    switch self {
    case .named(let name): name
    case .failed: Status.failed.name
    case .networkLost: Status.networkLost.name
    }
  }
}

/// Values of added columns, row by row, with one value per column.
public struct AddedValues: Sendable {
  /// The separator of a list's texts, which no text contains.
  static let separator: UInt8 = 0

  /// Valid UTF-8 at every value.
  private(set) var bytes: [UInt8] = []
  /// The end of each value; it begins at the end of the previous one.
  private(set) var ends: [Int] = []

  /// Creates values without rows.
  public init() {}

  /// The number of values, including missing ones.
  var count: Int { ends.count }

  /// Adds the next value: the valid UTF-8 without NUL that `write` appends; none if it is empty.
  public mutating func append(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    ends.append(bytes.count)
  }

  /// Adds a text; none if it is empty.
  public mutating func append(text: String) { append(copying: text.utf8Span.span) }

  /// Adds a list of non-empty texts; none if it is empty.
  public mutating func append(list texts: [String]) {
    append { bytes in
      for (index, text) in texts.enumerated() {
        if index > 0 { bytes.append(Self.separator) }
        bytes += text.utf8
      }
    }
  }

  /// Adds a boolean; none if `nil`.
  public mutating func append(flag: Bool?) {
    append(text: flag.map { $0 ? "true" : "false" } ?? "")
  }

  /// Adds a source's status.
  public mutating func append(status: AddedStatus) { append(text: status.name) }

  /// Adds missing values.
  public mutating func appendNothing(_ count: Int) {
    ends.append(contentsOf: repeatElement(bytes.count, count: count))
  }

  /// Adds the values of several rows at once, with one value per column.
  ///
  /// `write` appends their bytes, with the rules of ``append(_:)``, and the end of each value.
  public mutating func appendRows(_ write: (inout [UInt8], inout [Int]) -> Void) {
    write(&bytes, &ends)
  }

  /// Makes room for all values, before the first: `count` values of `size` bytes in all.
  mutating func reserve(_ count: Int, ofSize size: Int) {
    bytes.reserveCapacity(size + OutputSpan<UInt8>.slack)
    ends.reserveCapacity(count)
  }

  @inline(__always)
  mutating func append(copying text: Span<UInt8>) {
    bytes.append(addingCapacity: text.count + OutputSpan<UInt8>.slack) { $0.append(copying: text) }
    ends.append(bytes.count)
  }

  /// The text of a value; empty if there is none.
  package func text(_ index: Int) -> String { String(decoding: bytes[self[index]], as: UTF8.self) }

  /// The position of a value; empty if there is none.
  subscript(index: Int) -> Range<Int> {
    index < ends.count ? (index > 0 ? ends[index - 1] : 0)..<ends[index] : 0..<0
  }
}
