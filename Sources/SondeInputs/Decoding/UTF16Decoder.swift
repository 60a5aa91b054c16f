/// Converts UTF-16 after its byte-order mark to UTF-8 (RFC 2781).
///
/// A surrogate without its other half becomes U+FFFD.
final class UTF16Decoder: Decoder {
  /// The smallest output buffer: for an unpaired surrogate and the next character.
  static let smallestRoom = 6
  private static let replacement: UInt32 = 0xfffd

  private let isBigEndian: Bool
  private var half: UInt8?
  private var highSurrogate: UInt32?

  /// Whether the text does not end within a code unit.
  var isComplete: Bool { half == nil }

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecoderError) -> (taken: Int, given: Int) {
    let input = unsafe input.span
    var room = unsafe OutputSpan(buffer: output, initializedCount: 0)
    var taken = 0
    while taken < input.count, room.freeCapacity >= Self.smallestRoom {
      let byte = input[taken]
      taken &+= 1
      guard let first = half else {
        half = byte
        continue
      }
      half = nil
      let (high, low) = isBigEndian ? (first, byte) : (byte, first)
      append(UInt32(high) << 8 | UInt32(low), to: &room)
    }
    if input.isEmpty, highSurrogate != nil, room.freeCapacity >= Self.smallestRoom {
      highSurrogate = nil
      Self.append(scalar: Self.replacement, to: &room)
    }
    return (taken, unsafe room.finalize(for: output))
  }

  @inline(__always)
  private func append(_ unit: UInt32, to room: inout OutputSpan<UInt8>) {
    if let high = highSurrogate {
      highSurrogate = nil
      guard !(0xdc00...0xdfff).contains(unit) else {
        return Self.append(scalar: 0x10000 + (high - 0xd800) << 10 + (unit - 0xdc00), to: &room)
      }
      Self.append(scalar: Self.replacement, to: &room)
    }
    switch unit {
    case 0xd800...0xdbff: highSurrogate = unit
    case 0xdc00...0xdfff: Self.append(scalar: Self.replacement, to: &room)
    default: Self.append(scalar: unit, to: &room)
    }
  }

  /// Appends a character's one to four bytes (RFC 3629 §3).
  @inline(__always)
  private static func append(scalar: UInt32, to room: inout OutputSpan<UInt8>) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3f) }
    func lead(_ mark: UInt32, _ shift: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: mark | scalar >> shift)
    }
    switch scalar {
    case ..<0x80: room.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800:
      room.append(lead(0xc0, 6))
      room.append(tail(0))
    case ..<0x10000:
      room.append(lead(0xe0, 12))
      room.append(tail(6))
      room.append(tail(0))
    default:
      room.append(lead(0xf0, 18))
      room.append(tail(12))
      room.append(tail(6))
      room.append(tail(0))
    }
  }
}
