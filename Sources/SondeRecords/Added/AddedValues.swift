/// How a source fared with an address.
public enum AddedStatus: Sendable, Equatable {
  /// It has answered, in a word of its own.
  case named(String)
  /// Whoever it asks kept failing or refused.
  case failed
  /// The network was lost before there was an answer.
  case networkLost

  /// The value in the status column of the source.
  public var name: String {
    switch self {
    case .named(let name): name
    case .failed: Status.failed.name
    case .networkLost: Status.networkLost.name
    }
  }
}

/// Values of added columns, one row behind the other, each as many as there are columns.
public struct AddedValues: Sendable {
  /// What stands between the texts of a list, and in no text.
  static let separator: UInt8 = 0

  /// Valid UTF-8 at every value.
  private(set) var bytes: [UInt8] = []
  /// Where each value ends; it begins where the one before does.
  private(set) var ends: [Int] = []

  /// Makes values of no row.
  public init() {}

  /// How many values there are, missing ones included.
  var count: Int { ends.count }

  /// Adds the value of the next column: what `write` appends, valid UTF-8 without a NUL; nothing is
  /// no value.
  public mutating func append(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    ends.append(bytes.count)
  }

  /// Adds a text; an empty one is no value.
  public mutating func append(text: String) { append { $0 += text.utf8 } }

  /// Adds a list of texts, none of which is empty; an empty list is no value.
  public mutating func append(list texts: [String]) {
    append { bytes in
      for (index, text) in texts.enumerated() {
        if index > 0 { bytes.append(Self.separator) }
        bytes += text.utf8
      }
    }
  }

  /// Adds what is so or not; `nil` is no value.
  public mutating func append(flag: Bool?) {
    append(text: flag.map { $0 ? "true" : "false" } ?? "")
  }

  /// Adds how a source fared.
  public mutating func append(status: AddedStatus) { append(text: status.name) }

  /// Adds columns without a value.
  public mutating func appendNothing(_ count: Int) {
    ends.append(contentsOf: repeatElement(bytes.count, count: count))
  }

  /// Adds values of some rows at once, each as many as there are columns.
  ///
  /// - Parameter write: Appends their bytes, as ``append(_:)`` wants them, and where each of them ends.
  public mutating func appendRows(_ write: (inout [UInt8], inout [Int]) -> Void) {
    write(&bytes, &ends)
  }

  /// Adds a value whose bytes stand elsewhere.
  mutating func append(copying text: Span<UInt8>) {
    bytes.append(addingCapacity: text.count + OutputSpan<UInt8>.slack) { $0.append(copying: text) }
    ends.append(bytes.count)
  }

  /// Where a value stands; nothing where there is none.
  subscript(index: Int) -> Range<Int> {
    index < ends.count ? (index > 0 ? ends[index - 1] : 0)..<ends[index] : 0..<0
  }
}
