/// Changes the link type of raw IP in a pcapng file, so that libpcap accepts several such
/// interfaces.
///
/// libpcap 1.10 stores the link type of the first interface in its system's numbering, 12 for the
/// 101 used in files (https://www.tcpdump.org/linktypes.html), but compares it with the file's
/// number of each later interface. It accepts 12 as 12.
struct RawInterfaces {
  private static let (inFiles, inMemory): (UInt8, UInt8) = (101, 12)
  private static let interface: UInt32 = 1
  private static let sectionHeader: UInt32 = 0x0a0d_0d0a
  /// A section's byte-order mark as read from a little-endian file.
  private static let lowFirstMark: UInt32 = 0x1a2b_3c4d
  /// The length of a block's leading fields: type, length, and a section's byte-order mark or an
  /// interface's link type (draft-ietf-opsawg-pcapng §3.1, §4.1, §4.2).
  private static let headSize = 12

  private var isLowFirst = true
  /// The first bytes of the current block, as far as received.
  private var head = InlineArray<12, UInt8>(repeating: 0)
  private var headCount = 0
  /// The number of bytes of the current block after these.
  private var left = 0
  private var hasBegun = false
  /// Whether nothing remains to be done, because it is another format or not a block.
  private var isOver = false

  /// Rewrites the next bytes of a file in place.
  mutating func rewrite(_ bytes: UnsafeMutableRawBufferPointer) {
    var index = 0
    while index < bytes.count, !isOver {
      let step = min(left, bytes.count - index)
      (left, index) = (left - step, index + step)
      guard index < bytes.count else { return }
      let start = headCount
      let count = min(Self.headSize - start, bytes.count - index)
      for offset in 0..<count { head[start + offset] = unsafe bytes[index + offset] }
      headCount += count
      // The low byte of the link type; no supported type above 255 ends with this byte.
      let place = isLowFirst ? 8 : 9
      if start..<headCount ~= place, number(at: 0) == Self.interface, head[place] == Self.inFiles,
        isLowFirst || head[8] == 0
      {
        unsafe bytes[index + place - start] = Self.inMemory
      }
      index += count
      if headCount == Self.headSize { endHead() }
    }
  }

  private mutating func endHead() {
    if number(at: 0) == Self.sectionHeader {
      isLowFirst = true
      isLowFirst = number(at: 8) == Self.lowFirstMark
    } else if !hasBegun {
      isOver = true
    }
    let length = Int(number(at: 4))
    isOver = isOver || length < Self.headSize || !length.isMultiple(of: 4)
    left = isOver ? 0 : length - Self.headSize
    (headCount, hasBegun) = (0, true)
  }

  private func number(at start: Int) -> UInt32 {
    var number: UInt32 = 0
    for index in 0..<4 {
      number = number << 8 | UInt32(head[start + (isLowFirst ? 3 - index : index)])
    }
    return number
  }
}
