public import SondeAddresses
import SondeSystem
import Synchronization

/// The traffic of each address in captures, by the number of the input.
///
/// It is complete once the input has been read; records are created only then.
public final class Traffic: Sendable {
  /// The traffic of an address.
  struct Counts: Sendable {
    var packets: UInt64 = 0
    var bytes: UInt64 = 0
    /// The first and last time, in nanoseconds since 1970 UTC.
    var first = Int64.max
    var last = Int64.min
  }

  /// The traffic of the addresses in an input.
  public struct Table: Sendable {
    fileprivate var counts: [Address: Counts] = [:]

    /// Counts a packet by its length on the wire and its time in nanoseconds since 1970 UTC.
    public mutating func count(_ address: Address, bytes: UInt64, at time: Int64) {
      var counts = self.counts[address] ?? Counts()
      counts.packets += 1
      counts.bytes &+= bytes
      counts.first = min(counts.first, time)
      counts.last = max(counts.last, time)
      self.counts[address] = counts
    }
  }

  private let tables = Mutex<[UInt32: Table]>([:])

  /// Creates empty counts.
  public init() {}

  /// Counts packets of an input.
  public func count(input: UInt32, _ body: (inout Table) -> Void) {
    tables.withLock { body(&$0[input, default: Table()]) }
  }

  func counts(of record: Record) -> Counts? {
    guard let address = record.original ?? record.address else { return nil }
    return tables.withLock { $0[record.place.input]?.counts[address] }
  }
}

/// A value of an address's traffic.
enum TrafficValue: Sendable {
  case packets, bytes, firstSeen, lastSeen
}

extension Traffic.Counts {
  /// The number of packets or bytes.
  func number(_ value: TrafficValue) -> UInt64? {
    switch value {
    case .packets: packets
    case .bytes: bytes
    case .firstSeen, .lastSeen: nil
    }
  }

  /// The time in seconds since 1970 UTC, rounded down.
  func seconds(_ value: TrafficValue) -> Int64? {
    switch value {
    case .packets, .bytes: nil
    case .firstSeen: Timestamp(milliseconds: first / 1_000_000).seconds
    case .lastSeen: Timestamp(milliseconds: last / 1_000_000).seconds
    }
  }
}
