#if arch(x86_64)
  import CSondeByteMasks
#endif

/// A text in which each defanged mark is replaced by the mark that it stands for.
///
/// `[.]`, `(.)`, `{.}`, `[dot]`, `(dot)` and `{dot}`, in any case, are a `.`, and `[:]`, `(:)` and
/// `{:}` are a `:`. Reports write addresses like this so that nobody follows them by accident.
public struct RefangedText: Sendable {
  /// The text with plain marks.
  public private(set) var bytes: [UInt8] = []

  /// The offset of each replaced mark in ``bytes``, and by how many bytes the text behind it moved.
  private var marks: [(offset: Int, shift: Int)] = []

  /// Replaces the marks of a text; `nil` if it has none, which is found out without allocating.
  public init?(_ text: Span<UInt8>) {
    guard var mark = Self.nextMark(in: text, from: 0) else { return nil }
    bytes.reserveCapacity(text.count)
    var position = 0
    while true {
      bytes.append(copying: text.extracting(position..<mark.range.lowerBound))
      let shift = (marks.last?.shift ?? 0) + mark.range.count - 1
      marks.append((bytes.count, shift))
      bytes.append(mark.plain)
      position = mark.range.upperBound
      guard let next = Self.nextMark(in: text, from: position) else { break }
      mark = next
    }
    bytes.append(copying: text.extracting(position...))
  }

  /// The offset in the original text of the byte at an offset in ``bytes``, or of their end.
  public func original(_ offset: Int) -> Int {
    offset + shift(before: firstMark { $0.offset >= offset })
  }

  /// The range in the original text that a range of ``bytes`` stands for.
  public func original(_ range: Range<Int>) -> Range<Int> {
    original(range.lowerBound)..<original(range.upperBound)
  }

  /// The offset in ``bytes`` of the byte at an offset in the original text; within a mark the offset
  /// behind it.
  func refanged(_ offset: Int) -> Int {
    let next = firstMark { $0.offset + $0.shift >= offset }
    let moved = offset - shift(before: next)
    guard next < marks.count else { return moved }
    return min(moved, marks[next].offset + 1)
  }

  /// The number of the first mark with a property that all later ones have, too.
  private func firstMark(where isBehind: ((offset: Int, shift: Int)) -> Bool) -> Int {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(marks[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func shift(before mark: Int) -> Int { mark > 0 ? marks[mark - 1].shift : 0 }
}

// MARK: - Marks

extension RefangedText {
  /// The length of the longest mark in bytes: `[dot]`.
  static let longestMark = 5

  /// A defanged mark, and the byte that it stands for.
  struct Mark: Equatable {
    let range: Range<Int>
    let plain: UInt8
  }

  /// The first mark that begins at or after an offset.
  static func nextMark(in text: Span<UInt8>, from start: Int) -> Mark? {
    var position = start
    #if arch(x86_64)
      let bytes = unsafe text.bytes
      while position &+ 17 <= text.count {
        var starts = unsafe sonde_find_defanged(
          bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: SIMD16<UInt8>.self),
          bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position &+ 1, as: SIMD16<UInt8>.self)
        )
        while starts != 0 {
          if let mark = mark(in: text, at: position &+ starts.trailingZeroBitCount) { return mark }
          starts &= starts &- 1
        }
        position &+= 16
      }
    #endif
    return nextMarkBytewise(in: text, from: position)
  }

  /// The same byte by byte: the reference, and the way on other processors.
  static func nextMarkBytewise(in text: Span<UInt8>, from start: Int) -> Mark? {
    var position = start
    while position &+ 3 <= text.count {
      if let mark = mark(in: text, at: position) { return mark }
      position &+= 1
    }
    return nil
  }

  private static func mark(in text: Span<UInt8>, at start: Int) -> Mark? {
    let close: UInt8
    switch text[start] {
    case UInt8(ascii: "["): close = UInt8(ascii: "]")
    case UInt8(ascii: "("): close = UInt8(ascii: ")")
    case UInt8(ascii: "{"): close = UInt8(ascii: "}")
    default: return nil
    }
    let first = text.byte(start &+ 1)
    if first == UInt8(ascii: ".") || first == UInt8(ascii: ":") {
      return text.byte(start &+ 2) == close
        ? Mark(range: start..<start &+ 3, plain: first) : nil
    }
    guard first | 0x20 == UInt8(ascii: "d"), text.byte(start &+ 2) | 0x20 == UInt8(ascii: "o"),
      text.byte(start &+ 3) | 0x20 == UInt8(ascii: "t"), text.byte(start &+ 4) == close
    else { return nil }
    return Mark(range: start..<start &+ longestMark, plain: UInt8(ascii: "."))
  }
}

// MARK: - Zones

extension Span<UInt8> {
  /// The bytes of a zone ID in a text whose marks may be defanged.
  public func zone(_ range: Range<Int>, refangs: Bool = true) -> [UInt8] {
    let zone = extracting(range)
    if refangs, let refanged = RefangedText(zone) { return refanged.bytes }
    return zone.indices.map { zone[$0] }
  }
}

extension LogMatch {
  /// A match in a refanged text, with its offsets in the original text.
  func original(_ text: RefangedText) -> LogMatch {
    LogMatch(
      start: text.original(start),
      end: text.original(end),
      address: address,
      zone: zone.map { text.original($0) },
      insertion: text.original(insertion)
    )
  }
}

extension [UInt8] {
  fileprivate mutating func append(copying text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
