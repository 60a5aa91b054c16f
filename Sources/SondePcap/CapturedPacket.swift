public import SondeAddresses

/// The addresses, the time and the length of a captured packet.
public struct CapturedPacket: Sendable, Equatable {
  /// When it was captured, in nanoseconds since 1970 UTC.
  public let time: Int64

  /// Its length on the wire, in bytes.
  public let length: UInt32

  /// The number of captured addresses: 1 or 2.
  private let count: UInt8

  private let first: Address
  private let second: Address

  /// The outer source.
  public var source: Address { first }

  /// The outer destination; `nil` if it was not captured.
  public var destination: Address? { count == 2 ? second : nil }

  init(time: Int64, length: UInt32, source: Address, destination: Address?) {
    (self.time, self.length, first) = (time, length, source)
    (second, count) = (destination ?? source, destination == nil ? 1 : 2)
  }

  /// Appends the addresses, the source first.
  public func appendAddresses(to addresses: inout [Address]) {
    addresses.append(first)
    if count == 2 { addresses.append(second) }
  }
}
