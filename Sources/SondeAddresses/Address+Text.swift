extension Address {
  /// Appends the canonical text: dotted for IPv4, RFC 5952 without a dotted tail for IPv6.
  ///
  /// Writes at most 39 bytes; allocates only if `output` must grow.
  public func append(to output: inout [UInt8]) {
    output.append(addingCapacity: Self.textCapacity) { append(to: &$0) }
  }

  /// Appends the canonical text; ``textCapacity`` bytes must be free.
  public func append(to output: inout OutputSpan<UInt8>) {
    if isIPv4 {
      output.appendDotted(UInt32(truncatingIfNeeded: low))
    } else {
      appendGroups(to: &output)
    }
  }

  /// The length of the longest canonical text in bytes.
  public static let textCapacity = 39

  /// Appends the groups, with `::` for the first longest run of at least two zeros (RFC 5952 §4.2).
  private func appendGroups(to output: inout OutputSpan<UInt8>) {
    let gap = longestZeroRun
    var index = 0
    while index < 8 {
      if index == gap.lowerBound && !gap.isEmpty {
        output.append(UInt8(ascii: ":"))
        output.append(UInt8(ascii: ":"))
        index = gap.upperBound
        continue
      }
      if index > 0 && index != gap.upperBound { output.append(UInt8(ascii: ":")) }
      output.appendHex(group(index))
      index &+= 1
    }
  }

  /// The 16-bit group at an index from 0 to 7.
  @inline(__always)
  private func group(_ index: Int) -> UInt16 {
    let half = index < 4 ? high : low
    return UInt16(truncatingIfNeeded: half >> UInt64(48 &- 16 &* (index & 3)))
  }

  private var longestZeroRun: Range<Int> {
    var (best, start) = (0..<0, 0)
    for index in 0..<8 {
      if group(index) != 0 {
        start = index &+ 1
      } else if index &+ 1 &- start > max(best.count, 1) {
        best = start..<index &+ 1
      }
    }
    // An empty run at 8 is never reached by a group.
    return best.isEmpty ? 8..<8 : best
  }
}

extension Address: CustomStringConvertible {
  /// The canonical text, as written by `append(to:)`.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension OutputSpan where Element == UInt8 {
  /// Appends four octets without branching on their lengths, which are unpredictable.
  ///
  /// Each octet is written as three digits and a dot; surplus bytes are overwritten.
  @inline(__always)
  fileprivate mutating func appendDotted(_ number: UInt32) {
    precondition(freeCapacity >= 16, "no room for an address")
    unsafe withUnsafeMutableBufferPointer { room, count in
      let bytes = UnsafeMutableRawBufferPointer(room)
      var end = count
      for shift in stride(from: UInt32(24), through: 0, by: -8) {
        let octet = number >> shift & 0xff
        // Division by 100 and by 10, exact for numbers this small.
        let hundreds = (octet &* 41) >> 12
        let rest = octet &- hundreds &* 100
        let tens = (rest &* 205) >> 11
        let ones = rest &- tens &* 10
        let text = 0x2e30_3030 | hundreds | tens << 8 | ones << 16
        let missing: UInt32 = (octet < 10 ? 1 : 0) &+ (octet < 100 ? 1 : 0)
        unsafe bytes.storeBytes(
          of: (text >> (8 &* missing)).littleEndian,
          toByteOffset: end,
          as: UInt32.self
        )
        end &+= Int(4 &- missing)
      }
      count = end &- 1
    }
  }

  /// Appends a group in lower case without leading zeros (RFC 5952 §4.1, §4.3).
  @inline(__always)
  fileprivate mutating func appendHex(_ group: UInt16) {
    var shift: UInt16 = group >= 0x1000 ? 12 : group >= 0x100 ? 8 : group >= 0x10 ? 4 : 0
    while true {
      let digit = UInt8(truncatingIfNeeded: group >> shift & 0xf)
      append(digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
      guard shift > 0 else { break }
      shift &-= 4
    }
  }
}
