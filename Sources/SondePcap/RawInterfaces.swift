/// Gives the interfaces of raw IP in a pcapng file a number that libpcap takes a second time.
///
/// libpcap 1.10 keeps the link type of the first interface as its system has it, 12 for the 101 that
/// files have (https://www.tcpdump.org/linktypes.html), and compares that of each later interface as the
/// file has it. It reads 12 as 12.
struct RawInterfaces {
  private static let (inFiles, inMemory): (UInt8, UInt8) = (101, 12)
  private static let interface: UInt32 = 1
  private static let sectionHeader: UInt32 = 0x0a0d_0d0a
  /// The order mark of a section as it is read where the lowest byte of a number is the first.
  private static let lowFirstMark: UInt32 = 0x1a2b_3c4d
  /// The bytes of a block that say what it is: the type, the length, and in a section's header the order
  /// mark, or of an interface the link type (draft-ietf-opsawg-pcapng §3.1, §4.1, §4.2).
  private static let headSize = 12

  private var isLowFirst = true
  /// The first bytes of the block at hand, as far as they have come.
  private var head = InlineArray<12, UInt8>(repeating: 0)
  private var headCount = 0
  /// The bytes of the block that are still to come behind these.
  private var left = 0
  private var hasBegun = false
  /// Whether there is nothing to be done: it is another format, or no block any more.
  private var isOver = false

  /// Rewrites the next bytes of a file where they stand.
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
      // Of the link type's two bytes the lower one; no type above 255 is read that ends as this one.
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
