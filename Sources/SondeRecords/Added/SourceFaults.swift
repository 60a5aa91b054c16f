/// Which sources failed an address, or lost the network before they had an answer.
///
/// A source has a number: its place among those that are asked.
public struct SourceFaults: Sendable, Equatable {
  /// There are no more such sources than this.
  public static let limit = 4

  /// For each source a bit that says that it failed, and above these one that says that it lost the
  /// network.
  public let number: UInt8

  /// Makes those that a number stands for; 0 for none.
  public init(number: UInt8 = 0) { self.number = number }

  /// Whether there are none.
  public var isEmpty: Bool { number == 0 }

  /// Whether a source failed.
  public func hasFailed(_ source: Int) -> Bool { number >> UInt8(source) & 1 == 1 }

  /// Whether a source lost the network.
  public func hasLost(_ source: Int) -> Bool { hasFailed(source + Self.limit) }

  /// The same and one more.
  func adding(_ source: Int, isLoss: Bool) -> SourceFaults {
    guard source < Self.limit else { return self }
    return SourceFaults(number: number | 1 << UInt8(isLoss ? source + Self.limit : source))
  }
}
