/// A pattern in which `*` matches any text; case is ignored.
package struct Wildcard: Sendable {
  /// The texts before, between and after the stars, in lower case.
  private let parts: [[UInt8]]

  /// Creates a pattern.
  package init(_ text: String) {
    let pattern = Array(text.lowercased().utf8)
    parts = pattern.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map { Array($0) }
  }

  /// Whether it matches the whole of a text.
  package func matches(_ text: Span<UInt8>) -> Bool {
    guard text.isASCII else {
      let lowered = Array(text.repaired.lowercased().utf8)
      return matches(lowered: lowered.span)
    }
    return matches(lowered: text)
  }

  /// The same for a text in which only ASCII letters may be capital.
  private func matches(lowered text: Span<UInt8>) -> Bool {
    let (first, last) = (parts[0], parts[parts.count - 1])
    guard text.holds(first, at: 0) else { return false }
    guard parts.count > 1 else { return text.count == first.count }
    let end = text.count - last.count
    var position = first.count
    for index in 1..<parts.count - 1 {
      guard let found = text.position(of: parts[index], from: position, to: end) else {
        return false
      }
      position = found + parts[index].count
    }
    return position <= end && text.holds(last, at: end)
  }
}

extension Span<UInt8> {
  fileprivate var repaired: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Whether no byte is above those of ASCII.
  fileprivate var isASCII: Bool {
    let bytes = unsafe self.bytes
    var (position, all) = (0, UInt64(0))
    while position &+ 8 <= count {
      all |= unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
      position &+= 8
    }
    while position < count {
      all |= UInt64(self[position])
      position &+= 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// Whether a part in lower case stands at a position, which is not negative.
  fileprivate func holds(_ part: [UInt8], at position: Int) -> Bool {
    guard part.count <= count - position else { return false }
    for index in part.indices where self[position &+ index].inLowerCase != part[index] {
      return false
    }
    return true
  }

  /// The first position of a part in lower case, which ends at `end` at the latest.
  fileprivate func position(of part: [UInt8], from start: Int, to end: Int) -> Int? {
    guard let first = part.first else { return start <= end ? start : nil }
    let behind = end - part.count + 1
    let capitalFirst = first.inUpperCase
    var (small, capital) = (start, capitalFirst == first ? Int.max : start)
    // Each of the two letters is looked for once behind where it was found before.
    if small < behind { small = position(of: first, from: small, to: behind) ?? behind }
    if capital < behind {
      capital = position(of: capitalFirst, from: capital, to: behind) ?? behind
    }
    while case let next = Swift.min(small, capital), next < behind {
      if holds(part, at: next) { return next }
      if small == next {
        small = position(of: first, from: next + 1, to: behind) ?? behind
      } else {
        capital = position(of: capitalFirst, from: next + 1, to: behind) ?? behind
      }
    }
    return nil
  }
}

extension UInt8 {
  @inline(__always)
  fileprivate var inLowerCase: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  @inline(__always)
  fileprivate var inUpperCase: UInt8 { self &- 0x61 < 26 ? self & ~0x20 : self }
}
