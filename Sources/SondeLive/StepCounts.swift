/// The hits of a step by the numbers of their addresses, and how they are stored.
///
/// Stored, they are pairs in the order of the numbers: the difference to the number before, and the
/// hits, each in groups of seven bits, the lowest first, with the high bit set in all but the last.
package struct StepCounts: Sendable, Equatable {
  package private(set) var hits: [UInt32: UInt32] = [:]

  package init() {}

  /// The hits of all addresses.
  var total: Int { hits.values.reduce(0) { $0 + Int($1) } }

  mutating func add(_ count: UInt32, of number: UInt32) {
    let (sum, isBeyond) = hits[number, default: 0].addingReportingOverflow(count)
    hits[number] = isBeyond ? .max : sum
  }

  mutating func add(_ others: StepCounts) {
    for (number, count) in others.hits { add(count, of: number) }
  }

  mutating func add(stored bytes: Span<UInt8>) {
    Self.forEach(in: bytes) { add($1, of: $0) }
  }

  var stored: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(hits.count * 3)
    var last: UInt32 = 0
    for number in hits.keys.sorted() {
      bytes.append(grouped: number - last)
      bytes.append(grouped: hits[number] ?? 0)
      last = number
    }
    return bytes
  }

  /// Calls a function with each number and its hits; bytes that were not stored by this end it.
  package static func forEach(in bytes: Span<UInt8>, _ body: (UInt32, UInt32) -> Void) {
    var (position, number) = (0, UInt32(0))
    while let difference = bytes.group(at: &position), let count = bytes.group(at: &position) {
      let (next, isBeyond) = number.addingReportingOverflow(difference)
      if isBeyond { return }
      number = next
      body(number, count)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(grouped number: UInt32) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func group(at position: inout Int) -> UInt32? {
    var (number, shift) = (UInt64(0), UInt64(0))
    while position < count, shift < 35 {
      let byte = self[position]
      position += 1
      number |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return UInt32(exactly: number) }
      shift += 7
    }
    return nil
  }
}
