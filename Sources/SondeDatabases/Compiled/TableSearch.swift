import SondeAddresses

/// The sections of a compiled file that a look-up reads.
///
/// Groups are verified before, but bounds are checked independently of that.
@safe struct TableSearch {
  @safe private struct Family {
    let count: Int
    let index: UnsafeBufferPointer<UInt32>
    let values: UnsafeBufferPointer<UInt32>
    let forms: UnsafeBufferPointer<UInt8>

    init(_ family: CompiledLayout.Family, _ mapping: TableMapping) {
      count = family.count
      unsafe index = mapping.values(
        UInt32.self,
        at: family.index,
        count: CompiledLayout.buckets + 1
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

  // Keeps the pointers valid.
  private let mapping: TableMapping

  init(layout: CompiledLayout, mapping: TableMapping) {
    ipv4 = Family(layout.ipv4, mapping)
    ipv6 = Family(layout.ipv6, mapping)
    unsafe starts = mapping.values(UInt16.self, at: layout.ipv4.starts, count: layout.ipv4.count)
    unsafe highs = mapping.values(UInt64.self, at: layout.ipv6.starts, count: layout.ipv6.count)
    unsafe lows = mapping.values(UInt64.self, at: layout.ipv6.lows, count: layout.ipv6.count)
    self.mapping = mapping
  }

  /// A running search: the candidate ranges, and finally one.
  struct Step {
    fileprivate var key: UInt64 = 0
    fileprivate var low: UInt64 = 0
    fileprivate var isIPv6 = false
    fileprivate var first = 0
    fileprivate var count = 1

    /// The /8 that must be verified before the search continues.
    @inline(__always)
    var group: Int { Int(truncatingIfNeeded: key >> 56) | (isIPv6 ? CompiledLayout.groups : 0) }
  }

  /// Starts with the ranges of an address's /16.
  @inline(__always)
  func step(to address: Address) -> Step {
    var step = Step()
    step.isIPv6 = !address.isIPv4
    step.key = step.isIPv6 ? address.high : address.low << 32
    step.low = address.low
    let bucket = Int(truncatingIfNeeded: step.key >> 48)
    (step.first, step.count) = (step.isIPv6 ? ipv6 : ipv4).ranges(of: bucket)
    return step
  }

  /// Halves the ranges once.
  @inline(__always)
  func begin(_ step: inout Step) {
    if step.isIPv6 {
      unsafe Self.halve(&step.first, &step.count, atOrBelow: step.key, in: highs)
    } else {
      let start = UInt16(truncatingIfNeeded: step.key >> 32)
      unsafe Self.halve(&step.first, &step.count, atOrBelow: start, in: starts)
    }
  }

  /// Selects the range that contains the address.
  @inline(__always)
  func end(_ step: inout Step) {
    guard step.isIPv6 else {
      let start = UInt16(truncatingIfNeeded: step.key >> 32)
      step.first = unsafe Self.last(atOrBelow: start, in: starts, (step.first, step.count))
      return
    }
    step.first = unsafe Self.last(atOrBelow: step.key, in: highs, (step.first, step.count))
    if unsafe highs[step.first] == step.key && lows[step.first] > step.low {
      let bucket = Int(truncatingIfNeeded: step.key >> 48)
      step.first = earlier(
        than: step.first,
        step.key,
        step.low,
        from: ipv6.ranges(of: bucket).first
      )
    }
  }

  @inline(__always)
  func finding(at step: Step) -> CompiledDatabase.Finding {
    let family = step.isIPv6 ? ipv6 : ipv4
    return unsafe CompiledDatabase.Finding(
      value: TableValue(bits: family.values[step.first]),
      form: NetworkForm(byte: family.forms[step.first])
    )
  }

  /// The last address of the selected range, which ends with its /16 at the latest.
  func lastAddress(at step: Step) -> Address {
    let bucket = Int(truncatingIfNeeded: step.key >> 48)
    let ranges = (step.isIPv6 ? ipv6 : ipv4).ranges(of: bucket)
    let next = step.first &+ 1
    let isLast = next >= ranges.first &+ ranges.count
    guard step.isIPv6 else {
      let start = isLast ? 0 : unsafe UInt32(starts[next])
      return Address(ipv4: UInt32(bucket) << 16 | (isLast ? 0xffff : start &- 1))
    }
    guard !isLast else { return Address(high: step.key | .max >> 16, low: .max) }
    return unsafe Address(number: (UInt128(highs[next]) << 64 | UInt128(lows[next])) &- 1)
  }

  /// Of the ranges up to one that start within the same /64, the last at or before an address; if
  /// none does, the one before them.
  private func earlier(than place: Int, _ key: UInt64, _ low: UInt64, from first: Int) -> Int {
    let upTo = (first, count: place &- first &+ 1)
    let before = key == 0 ? first : unsafe Self.last(atOrBelow: key &- 1, in: highs, upTo)
    let begin = unsafe highs[before] == key || lows[before &+ 1] > low ? before : before &+ 1
    guard unsafe highs[begin] == key else { return begin }
    var (lower, upper) = (begin, place)
    while upper &- lower > 1 {
      let middle = (lower &+ upper) / 2
      if unsafe lows[middle] <= low { lower = middle } else { upper = middle }
    }
    return lower
  }

  /// The last of some ranges that starts at or before a number; the first one is known to.
  @inline(__always)
  private static func last<Number: FixedWidthInteger>(
    atOrBelow number: Number,
    in starts: UnsafeBufferPointer<Number>,
    _ ranges: (first: Int, count: Int)
  ) -> Int {
    var (first, count) = ranges
    while count > 1 { unsafe halve(&first, &count, atOrBelow: number, in: starts) }
    return first
  }

  @inline(__always)
  private static func halve<Number: FixedWidthInteger>(
    _ first: inout Int,
    _ count: inout Int,
    atOrBelow number: Number,
    in starts: UnsafeBufferPointer<Number>
  ) {
    let half = count >> 1
    // Numbers in one /16 differ by less than half of the type's range, so the sign shows which
    // is higher. A conditional would become a branch, which is mispredicted half the time.
    let start = unsafe Int(truncatingIfNeeded: starts[first &+ half])
    let sign = (Int(truncatingIfNeeded: number) &- start) >> (Int.bitWidth - 1)
    first &+= half & ~sign
    count &-= half
  }
}
