/// The ranges of one address family while a table is compiled, in ascending order.
struct TableRanges {
  private(set) var index: [UInt32] = []
  private(set) var values: [UInt32] = []
  private(set) var forms: [UInt8] = []
  /// For IPv4, the start of each range within its /16.
  private(set) var starts: [UInt16] = []
  /// For IPv6, the start of each range.
  private(set) var highs: [UInt64] = []
  private(set) var lows: [UInt64] = []

  private let isIPv6: Bool
  private var last = CompiledDatabase.Finding()

  init(isIPv6: Bool) { self.isIPv6 = isIPv6 }

  var count: Int { values.count }

  /// Adds the range that begins at an address, in ascending order: `key` is its first 64 bits, or
  /// an IPv4 address before 32 zeros, and `low` are its last 64 bits.
  mutating func append(_ key: UInt64, _ low: UInt64, _ finding: CompiledDatabase.Finding) {
    let bucket = Int(key >> 48)
    let isAtBucket = UInt64(bucket) << 48 == key && low == 0
    beginBuckets(upTo: isAtBucket ? bucket : bucket + 1)
    guard isAtBucket || finding != last else { return }
    last = finding
    if isAtBucket { index.append(UInt32(count)) }
    push(key, low)
  }

  /// Ends the last range, and the index.
  mutating func finish() {
    beginBuckets(upTo: CompiledLayout.buckets)
    index.append(UInt32(count))
  }

  /// Starts the last range again at each /16.
  private mutating func beginBuckets(upTo end: Int) {
    while index.count < end {
      let key = UInt64(index.count) << 48
      index.append(UInt32(count))
      push(key, 0)
    }
  }

  private mutating func push(_ key: UInt64, _ low: UInt64) {
    values.append(last.value.bits)
    forms.append(last.form.byte)
    if isIPv6 {
      highs.append(key)
      lows.append(low)
    } else {
      starts.append(UInt16(truncatingIfNeeded: key >> 32))
    }
  }
}
