import SondeSystem

/// The number of an address's occurrences, the first and the last, and its traffic in captures.
@usableFromInline
package struct Totals: Sendable, Equatable {
  package var hits: UInt64 = 0
  package var packets: UInt64 = 0
  package var bytes: UInt64 = 0
  /// The earliest and the latest time in milliseconds since 1970 UTC; reversed if there is none.
  private var first = Int64.max
  private var last = Int64.min

  package init() {}

  /// The earliest and the latest time in milliseconds since 1970 UTC; `nil` if there is none.
  package var times: ClosedRange<Int64>? { first <= last ? first...last : nil }

  /// Counts an occurrence at a time in milliseconds since 1970 UTC.
  @inline(__always)
  mutating func add(at time: Int64?) {
    hits &+= 1
    note(time)
  }

  /// Counts a packet by its length on the wire and its time in milliseconds since 1970 UTC.
  mutating func addPacket(_ length: UInt64, at time: Int64?) {
    packets += 1
    bytes &+= length
    note(time)
  }

  /// Takes a time in milliseconds since 1970 UTC into the range.
  @inline(__always)
  package mutating func note(_ time: Int64?) {
    guard let time else { return }
    (first, last) = (min(first, time), max(last, time))
  }

  static func += (left: inout Totals, right: Totals) {
    left.hits += right.hits
    left.packets += right.packets
    left.bytes &+= right.bytes
    (left.first, left.last) = (min(left.first, right.first), max(left.last, right.last))
  }
}

/// A value of an address's totals.
enum TotalValue: Sendable {
  case hits, packets, bytes, firstSeen, lastSeen
}

extension Totals {
  /// The number of hits, packets or bytes; the latter are of captures alone.
  func number(_ value: TotalValue) -> UInt64? {
    switch value {
    case .hits: hits
    case .packets: packets > 0 ? packets : nil
    case .bytes: packets > 0 ? bytes : nil
    case .firstSeen, .lastSeen: nil
    }
  }

  /// Whether there is a value.
  func has(_ value: TotalValue) -> Bool { number(value) != nil || seconds(value) != nil }

  /// The time in seconds since 1970 UTC, rounded down.
  func seconds(_ value: TotalValue) -> Int64? {
    guard first <= last else { return nil }
    switch value {
    case .hits, .packets, .bytes: return nil
    case .firstSeen: return first.dividedDown(by: 1000)
    case .lastSeen: return last.dividedDown(by: 1000)
    }
  }
}
