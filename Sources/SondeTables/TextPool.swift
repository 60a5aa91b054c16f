/// Texts stored once each, by number; 0 is the empty text.
struct TextPool: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each text; it begins at the end of the previous one.
  private var ends: [UInt32] = [0]
  /// The numbers of the texts by hash.
  ///
  /// Collisions use the next slots; 0 is free. Empty after the last text was added.
  private var slots = [UInt32](repeating: 0, count: 1 << 10)

  /// Whether a text of some length fits: offsets have 32 bits.
  func hasRoom(for length: Int) -> Bool { bytes.count + length <= Int(UInt32.max) }

  func range(of number: UInt32) -> Range<Int> {
    number == 0 ? 0..<0 : Int(ends[Int(number) - 1])..<Int(ends[Int(number)])
  }

  func append(_ number: UInt32, to output: inout [UInt8]) {
    output.append(contentsOf: bytes[range(of: number)])
  }

  /// Appends a text, which must fit.
  @inline(__always)
  func append(_ number: UInt32, to output: inout OutputSpan<UInt8>) {
    let text = bytes.span.extracting(range(of: number))
    precondition(output.freeCapacity >= text.count, "no room for a text")
    unsafe output.withUnsafeMutableBufferPointer { room, count in
      let free = unsafe UnsafeMutableBufferPointer(rebasing: room[count...])
      unsafe text.withUnsafeBufferPointer { unsafe _ = free.initialize(fromContentsOf: $0) }
      count += text.count
    }
  }

  /// The number of a text, which is stored if it is new.
  mutating func intern(_ text: Span<UInt8>) -> UInt32 {
    guard !text.isEmpty else { return 0 }
    let mask = slots.count - 1
    var slot = Self.hash(text) & mask
    while slots[slot] != 0 {
      if holds(text, slots[slot]) { return slots[slot] }
      slot = (slot + 1) & mask
    }
    let number = UInt32(ends.count)
    for index in text.indices { bytes.append(text[index]) }
    ends.append(UInt32(bytes.count))
    slots[slot] = number
    if 2 * ends.count > slots.count { grow() }
    return number
  }

  /// Frees the memory for adding texts.
  mutating func freeze() { slots = [] }

  private func holds(_ text: Span<UInt8>, _ number: UInt32) -> Bool {
    let range = range(of: number)
    guard range.count == text.count else { return false }
    let start = range.lowerBound
    for index in text.indices where bytes[start + index] != text[index] { return false }
    return true
  }

  private mutating func grow() {
    var larger = [UInt32](repeating: 0, count: 2 * slots.count)
    let mask = larger.count - 1
    for number in 1..<ends.count {
      var slot = Self.hash(bytes.span.extracting(range(of: UInt32(number)))) & mask
      while larger[slot] != 0 { slot = (slot + 1) & mask }
      larger[slot] = UInt32(number)
    }
    slots = larger
  }

  /// FNV-1a of 64 bits (RFC 9923), its high bits mixed into the low ones.
  private static func hash(_ text: Span<UInt8>) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in text.indices { hash = (hash ^ UInt64(text[index])) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 32)
  }
}
