extension OutputSpan<UInt8> {
  /// The free bytes that a writer of words needs after the text.
  static var slack: Int { MemoryLayout<UInt64>.size }

  /// Appends the first `count` bytes of a word that holds them in memory order.
  ///
  /// It stores all eight, so eight must be free: storing whole words makes short texts cheap.
  @inline(__always)
  mutating func append(word: UInt64, count: Int) {
    unsafe withUnsafeMutableBufferPointer { buffer, initialized in
      precondition(buffer.count &- initialized >= Self.slack, "no room for a word")
      guard let base = buffer.baseAddress else { return }
      let end = UnsafeMutableRawPointer(base)
      unsafe end.storeBytes(of: word.littleEndian, toByteOffset: initialized, as: UInt64.self)
      initialized &+= count
    }
  }

  /// Copies text from `start` up to the first byte that `marks` marks, and returns its position.
  ///
  /// `marks` sets the high bit of each byte of a word to stop at. It must be 0 for a word without
  /// such a byte; otherwise at least the lowest mark must be right.
  @inline(__always)
  mutating func append(
    from text: Span<UInt8>,
    at start: Int,
    until marks: (UInt64) -> UInt64
  ) -> Int {
    guard start < text.count else { return text.count }
    var index = start
    unsafe withUnsafeMutableBufferPointer { buffer, initialized in
      // Stores whole words.
      let size = (text.count &- start &+ 7) & ~7
      precondition(buffer.count &- initialized >= size, "no room for a text")
      guard let base = buffer.baseAddress else { return }
      let end = unsafe UnsafeMutableRawPointer(base) + initialized
      while index < text.count {
        let word = text.word(at: index)
        unsafe end.storeBytes(of: word.littleEndian, toByteOffset: index &- start, as: UInt64.self)
        let marked = marks(word)
        let kept = marked == 0 ? 8 : marked.trailingZeroBitCount / 8
        index = Swift.min(index &+ kept, text.count)
        if marked != 0 { break }
      }
      initialized &+= index &- start
    }
    return index
  }

  /// Copies text unchanged.
  @inline(__always)
  mutating func append(copying text: Span<UInt8>) { _ = append(from: text, at: 0) { _ in 0 } }

  @inline(__always)
  mutating func append(_ text: ShortText) {
    // Usually there is space to store all words, without a branch for each.
    guard freeCapacity < ShortText.capacity else {
      unsafe withUnsafeMutableBufferPointer { buffer, initialized in
        guard let base = buffer.baseAddress else { return }
        let end = unsafe UnsafeMutableRawPointer(base) + initialized
        for index in text.words.indices {
          let word = text.words[index].littleEndian
          unsafe end.storeBytes(of: word, toByteOffset: 8 &* index, as: UInt64.self)
        }
        initialized &+= text.count
      }
      return
    }
    var left = text.count
    var index = 0
    while left > 0 {
      append(word: text.words[index], count: Swift.min(8, left))
      left &-= 8
      index &+= 1
    }
  }
}

extension Span<UInt8> {
  /// The eight bytes at an index, in memory order from the lowest; blanks past the end.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    let left = count &- index
    let bytes = unsafe self.bytes
    if left >= 8 {
      let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      return UInt64(littleEndian: word)
    }
    let blanks: UInt64 = 0x2020_2020_2020_2020 << UInt64(truncatingIfNeeded: left &* 8)
    if left >= 4 {
      let first = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self)
      let last = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      return blanks | UInt64(UInt32(littleEndian: first))
        | UInt64(UInt32(littleEndian: last)) << UInt64(truncatingIfNeeded: (left &- 4) &* 8)
    }
    var word = blanks
    for offset in 0..<Swift.max(left, 0) {
      word |= UInt64(self[index &+ offset]) << UInt64(truncatingIfNeeded: offset &* 8)
    }
    return word
  }
}

/// A text of at most 40 bytes stored in words: a key, a keyword, an address.
struct ShortText: Sendable {
  /// The bytes in memory order, eight per word.
  private(set) var words = InlineArray<5, UInt64>(repeating: 0)
  private(set) var count = 0
  static let capacity = 40

  var isEmpty: Bool { count == 0 }

  init() {}

  /// Creates a text; exceeding the capacity is a programming error.
  init(_ text: Span<UInt8>) {
    precondition(text.count <= Self.capacity, "a short text is too long")
    count = text.count
    var index = 0
    while index < count {
      words[index / 8] = text.word(at: index)
      index += 8
    }
  }

  init(_ text: String) { self.init(Array(text.utf8).span) }
}
