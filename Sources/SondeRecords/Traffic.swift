public import SondeAddresses
import Synchronization
import SondeSystem

/// What each address of captures has sent and received, by the number of the input.
///
/// Complete for an input once it has been read; only then are records made of it.
public final class Traffic: Sendable {
  /// What was counted of an address.
  struct Counts: Sendable {
    var packets: UInt64 = 0
    var bytes: UInt64 = 0
    /// In nanoseconds since 1970 UTC.
    var first = Int64.max
    var last = Int64.min
  }

  /// What was counted of the addresses of an input.
  public struct Table: Sendable {
    fileprivate var counts: [Address: Counts] = [:]

    /// Counts a packet.
    ///
    /// - Parameters:
    ///   - address: Who sent or received it.
    ///   - bytes: Its length on the wire.
    ///   - time: When it was captured, in nanoseconds since 1970 UTC.
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

  /// Makes one that has counted nothing.
  public init() {}

  /// Counts packets of an input.
  public func count(input: UInt32, _ body: (inout Table) -> Void) {
    tables.withLock { body(&$0[input, default: Table()]) }
  }

  /// What was counted of a record's address in its input.
  func counts(of record: Record) -> Counts? {
    guard let address = record.address else { return nil }
    return tables.withLock { $0[record.place.input]?.counts[address] }
  }
}

/// What was counted of an address.
enum TrafficValue: Sendable {
  case packets, bytes, firstSeen, lastSeen
}

extension Traffic.Counts {
  /// How many.
  func number(_ value: TrafficValue) -> UInt64? {
    switch value {
    case .packets: packets
    case .bytes: bytes
    case .firstSeen, .lastSeen: nil
    }
  }

  /// When, in seconds since 1970 UTC, rounded down.
  func seconds(_ value: TrafficValue) -> Int64? {
    switch value {
    case .packets, .bytes: nil
    case .firstSeen: Timestamp(milliseconds: first / 1_000_000).seconds
    case .lastSeen: Timestamp(milliseconds: last / 1_000_000).seconds
    }
  }
}
