/// The sources that failed for an address, or lost the network before they had an answer.
///
/// The number of a source is its index among the sources that are asked.
public struct SourceFaults: Sendable, Equatable {
  /// The largest number of such sources.
  public static let limit = 8

  /// One bit per source that failed, followed by one per source that lost the network.
  public let number: UInt16

  /// Decodes a number; 0 for no faults.
  @inlinable
  public init(number: UInt16 = 0) { self.number = number }

  /// Whether there are none.
  public var isEmpty: Bool { number == 0 }

  /// Whether a source failed.
  public func hasFailed(_ source: Int) -> Bool { number >> UInt16(source) & 1 == 1 }

  /// Whether a source lost the network.
  public func hasLost(_ source: Int) -> Bool { hasFailed(source + Self.limit) }

  func adding(_ source: Int, isLoss: Bool) -> SourceFaults {
    guard source < Self.limit else { return self }
    return SourceFaults(number: number | 1 << UInt16(isLoss ? source + Self.limit : source))
  }
}
