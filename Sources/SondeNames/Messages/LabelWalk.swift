/// Goes through the labels of a name in a message.
///
/// A pointer must lead to before everything that was read of the name (RFC 1035 §4.1.4: "a prior
/// occurrence"), so that a walk ends whatever the bytes are.
struct LabelWalk {
  private(set) var position: Int
  private var bound: Int

  init(at start: Int) { (position, bound) = (start, start) }

  /// Where the next label's bytes lie, empty for the root; `nil` where there is no name.
  mutating func next(in message: Span<UInt8>) -> Range<Int>? {
    guard follow(in: message) else { return nil }
    let start = position + 1
    let end = start + Int(message[position])
    guard end <= message.count else { return nil }
    position = end
    return start..<end
  }

  /// Goes to the length of the next label, which is less than 64 and in the message.
  mutating func follow(in message: Span<UInt8>) -> Bool {
    while position < message.count {
      let length = message[position]
      if length < 64 { return true }
      guard length >= 192, position + 1 < message.count else { return false }
      let target = Int(length & 63) << 8 | Int(message[position + 1])
      guard target < bound else { return false }
      (position, bound) = (target, target)
    }
    return false
  }
}

extension Span where Element == UInt8 {
  /// The position behind a name; `nil` where there is none.
  func endOfName(at start: Int) -> Int? {
    var position = start
    while position < count {
      let length = self[position]
      switch length {
      case 0: return position + 1
      case 1..<64: position += 1 + Int(length)
      case 192...: return position + 2 <= count ? position + 2 : nil
      default: return nil
      }
    }
    return nil
  }

  /// Whether two names of a message are the same, whatever the case of ASCII letters.
  func isSameName(at first: Int, and second: Int) -> Bool {
    var (left, right) = (LabelWalk(at: first), LabelWalk(at: second))
    while left.follow(in: self), right.follow(in: self) {
      // Most owners point to the question.
      if left.position == right.position { return true }
      guard let one = left.next(in: self), let other = right.next(in: self),
        one.count == other.count
      else { return false }
      if one.isEmpty { return true }
      for offset in 0..<one.count {
        guard self[one.lowerBound + offset].isSameLetter(as: self[other.lowerBound + offset]) else {
          return false
        }
      }
    }
    return false
  }

  /// A number of 16 bits in network order; `nil` beyond the end.
  func number16(at position: Int) -> UInt16? {
    guard position + 2 <= count else { return nil }
    return UInt16(self[position]) << 8 | UInt16(self[position + 1])
  }

  /// A number of 32 bits in network order; `nil` beyond the end.
  func number32(at position: Int) -> UInt32? {
    guard let high = number16(at: position), let low = number16(at: position + 2) else {
      return nil
    }
    return UInt32(high) << 16 | UInt32(low)
  }
}
