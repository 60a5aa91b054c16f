/// The sections of a table that a look-up goes through.
///
/// Groups are verified before; that nothing is read beyond the sections does not depend on it.
@safe
struct TableSearch {
  /// The sections of one family.
  @safe
  private struct Family {
    let count: Int
    let index: UnsafeBufferPointer<UInt32>
    let values: UnsafeBufferPointer<UInt32>
    let forms: UnsafeBufferPointer<UInt8>

    init(_ family: TableLayout.Family, _ mapping: TableMapping) {
      count = family.count
      unsafe index = mapping.values(
        UInt32.self,
        at: family.index,
        count: TableLayout.buckets + 1
      )
      unsafe values = mapping.values(UInt32.self, at: family.values, count: count)
      unsafe forms = mapping.values(UInt8.self, at: family.forms, count: count)
    }

    /// The ranges of a /16: at least one, all within the sections.
    @inline(__always)
    func ranges(of bucket: Int) -> (first: Int, count: Int) {
      let first = unsafe min(Int(index[bucket]), count &- 1)
      let end = unsafe min(Int(index[bucket &+ 1]), count)
      return (first, max(end &- first, 1))
    }
  }

  private let ipv4: Family
  private let starts: UnsafeBufferPointer<UInt16>
  private let ipv6: Family
  private let highs: UnsafeBufferPointer<UInt64>
  private let lows: UnsafeBufferPointer<UInt64>

  // Keeps what the pointers point to.
  private let mapping: TableMapping

  init(layout: TableLayout, mapping: TableMapping) {
    ipv4 = Family(layout.ipv4, mapping)
    ipv6 = Family(layout.ipv6, mapping)
    unsafe starts = mapping.values(
      UInt16.self,
      at: layout.ipv4.starts,
      count: layout.ipv4.count
    )
    unsafe highs = mapping.values(UInt64.self, at: layout.ipv6.starts, count: layout.ipv6.count)
    unsafe lows = mapping.values(UInt64.self, at: layout.ipv6.lows, count: layout.ipv6.count)
    self.mapping = mapping
  }

  /// What lies at an address.
  ///
  /// - Parameters:
  ///   - key: The first 64 bits of an IPv6 address, or an IPv4 address before 32 zeros.
  ///   - low: The last 64 bits of an IPv6 address.
  ///   - isIPv6: Which of both it is.
  /// - Returns: What the range that holds the address says.
  @inline(__always)
  func find(_ key: UInt64, _ low: UInt64, isIPv6: Bool) -> CompiledTable.Finding {
    let bucket = Int(truncatingIfNeeded: key >> 48)
    guard isIPv6 else {
      let start = UInt16(truncatingIfNeeded: key >> 32)
      let place = unsafe Self.last(atOrBelow: start, in: starts, ipv4.ranges(of: bucket))
      return finding(at: place, in: ipv4)
    }
    let ranges = ipv6.ranges(of: bucket)
    var place = unsafe Self.last(atOrBelow: key, in: highs, ranges)
    if unsafe highs[place] == key && lows[place] > low {
      place = earlier(than: place, key, low, from: ranges.first)
    }
    return finding(at: place, in: ipv6)
  }

  /// Of the ranges up to one that start within the same /64, the last at or before an address; if
  /// none does, the one before them.
  private func earlier(than place: Int, _ key: UInt64, _ low: UInt64, from first: Int) -> Int {
    let upTo = (first, count: place &- first &+ 1)
    let before = key == 0 ? first : unsafe Self.last(atOrBelow: key &- 1, in: highs, upTo)
    let begin = unsafe highs[before] == key || lows[before &+ 1] > low ? before : before &+ 1
    guard unsafe highs[begin] == key else { return begin }
    return unsafe Self.last(atOrBelow: low, in: lows, (begin, place &- begin &+ 1))
  }

  @inline(__always)
  private func finding(at place: Int, in family: Family) -> CompiledTable.Finding {
    unsafe CompiledTable.Finding(
      value: TableValue(bits: family.values[place]),
      form: NetworkForm(byte: family.forms[place])
    )
  }

  /// The last of some ranges that starts at or before a number; the first one is known to.
  ///
  /// Without a branch that depends on the numbers: a processor guesses half of them wrong.
  @inline(__always)
  private static func last<Number: FixedWidthInteger>(
    atOrBelow number: Number,
    in starts: UnsafeBufferPointer<Number>,
    _ ranges: (first: Int, count: Int)
  ) -> Int {
    var (first, count) = ranges
    while count > 1 {
      let half = count >> 1
      first = unsafe starts[first &+ half] <= number ? first &+ half : first
      count &-= half
    }
    return first
  }
}
