/// Iterates over the labels of a name in a message.
///
/// A pointer must lead to a position before all that was read of the name (RFC 1035 §4.1.4: "a
/// prior occurrence"), so that the iteration ends for any bytes.
struct LabelWalk {
  private(set) var position: Int
  private var bound: Int

  init(at start: Int) { (position, bound) = (start, start) }

  /// The range of the next label, empty for the root; `nil` if the name is invalid.
  mutating func next(in message: Span<UInt8>) -> Range<Int>? {
    guard follow(in: message) else { return nil }
    let start = position + 1
    let end = start + Int(message[position])
    guard end <= message.count else { return nil }
    position = end
    return start..<end
  }

  /// Moves to the length of the next label, which must be below 64 and in the message.
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
  /// The position after a name; `nil` if it is invalid.
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

  /// Whether two names of a message are equal, ignoring the case of ASCII letters.
  func isSameName(at first: Int, and second: Int) -> Bool {
    var (left, right) = (LabelWalk(at: first), LabelWalk(at: second))
    while left.follow(in: self), right.follow(in: self) {
      // Most owner names point to the question.
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

  /// A big-endian 16-bit number; `nil` beyond the end.
  func number16(at position: Int) -> UInt16? {
    guard position + 2 <= count else { return nil }
    return UInt16(self[position]) << 8 | UInt16(self[position + 1])
  }

  /// A big-endian 32-bit number; `nil` beyond the end.
  func number32(at position: Int) -> UInt32? {
    guard let high = number16(at: position), let low = number16(at: position + 2) else {
      return nil
    }
    return UInt32(high) << 16 | UInt32(low)
  }
}
