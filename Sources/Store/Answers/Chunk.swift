import Addresses
import System

/// Answers of one moment on their way to the disk: one row.
///
/// The bytes of a row are
///
///     1 byte       the width of an address: 4 where all are IPv4, else 16
///     count × w    the addresses in network order
///     count × 2    where each answer ends, behind the last of these numbers (little-endian);
///                  missing where there is one answer only
///     …            the answers, see `AnswerCoding.swift`
struct Chunk: Sendable {
  /// The bytes that a row may have so that it lies in a page of 4096 bytes with its other columns.
  static let usualSize = 4000

  /// The most answers in one: a position is a byte (``Place``).
  static let mostAnswers = 256

  /// When the answers were given, in seconds since 1970 UTC.
  var given: Int64

  /// The addresses answered.
  var addresses: [Address]

  /// The bytes of the row.
  var bytes: [UInt8]

  /// The hash of the bytes.
  var hash: Checksum
}

/// Cuts the answers of one save into chunks.
struct ChunkWriter {
  private(set) var chunks: [Chunk] = []

  private var given: Int64 = 0
  private var addresses: [Address] = []
  private var ends: [Int] = []
  private var answers: [UInt8] = []
  private var isWide = false
  private let isCut: Bool

  /// - Parameter isCut: Whether to begin a new chunk when one is full.
  init(isCut: Bool = true) { self.isCut = isCut }

  /// Adds the answer that was encoded at the end of some bytes.
  mutating func append(_ address: Address, given: Int64, answer: Span<UInt8>) {
    let isWide = isWide || !address.isIPv4
    let size = Self.size(count: addresses.count + 1, isWide, answers: answers.count + answer.count)
    let isFull = size > Chunk.usualSize || addresses.count == Chunk.mostAnswers
    if isCut, !addresses.isEmpty, isFull || given != self.given { finish() }
    self.given = given
    self.isWide = self.isWide || !address.isIPv4
    addresses.append(address)
    answers.append(copying: answer)
    ends.append(answers.count)
  }

  /// Ends the last chunk.
  mutating func finish() {
    guard !addresses.isEmpty else { return }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.size(count: addresses.count, isWide, answers: answers.count))
    bytes.append(isWide ? 16 : 4)
    for address in addresses { address.append(to: &bytes, isWide: isWide) }
    if addresses.count > 1 {
      for end in ends {
        bytes.append(UInt8(truncatingIfNeeded: end))
        bytes.append(UInt8(truncatingIfNeeded: end >> 8))
      }
    }
    bytes += answers
    var hash = Checksum()
    hash.update(bytes.span)
    chunks.append(Chunk(given: given, addresses: addresses, bytes: bytes, hash: hash))
    addresses.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    answers.removeAll(keepingCapacity: true)
    isWide = false
  }

  private static func size(count: Int, _ isWide: Bool, answers: Int) -> Int {
    1 + count * (isWide ? 18 : 6) + answers
  }
}

/// Where what lies in the bytes of a chunk, of which not one is trusted.
struct ChunkLayout {
  /// The number of answers.
  let count: Int

  private let width: Int
  /// Where the answers begin.
  private let answers: Int

  /// - Returns: `nil` where the bytes are no chunk of so many answers.
  init?(_ bytes: Span<UInt8>, count: Int64) {
    guard 1...Int64(Chunk.mostAnswers) ~= count, !bytes.isEmpty else { return nil }
    width = Int(bytes[0])
    guard width == 4 || width == 16 else { return nil }
    self.count = Int(count)
    answers = 1 + self.count * (width + (count > 1 ? 2 : 0))
    guard answers <= bytes.count else { return nil }
  }

  /// An address.
  @inline(__always)
  func address(at position: Int, in bytes: Span<UInt8>) -> Address {
    let start = 1 + position * width
    if width == 4 {
      let number: UInt32 = bytes.number(at: start)
      return Address(ipv4: number.byteSwapped)
    }
    let (high, low): (UInt64, UInt64) = (bytes.number(at: start), bytes.number(at: start + 8))
    return Address(high: high.byteSwapped, low: low.byteSwapped)
  }

  /// Where an answer lies; `nil` where it was deleted or would lie outside.
  func answer(at position: Int, in bytes: Span<UInt8>) -> Range<Int>? {
    guard count > 1 else { return answers < bytes.count ? answers..<bytes.count : nil }
    let start = answers + (position == 0 ? 0 : end(of: position - 1, in: bytes))
    let end = answers + end(of: position, in: bytes)
    return start < end && end <= bytes.count ? start..<end : nil
  }

  private func end(of position: Int, in bytes: Span<UInt8>) -> Int {
    let end: UInt16 = bytes.number(at: 1 + count * width + 2 * position)
    return Int(end)
  }
}

extension Address {
  fileprivate func append(to bytes: inout [UInt8], isWide: Bool) {
    guard isWide else {
      return bytes.append(bigEndian: UInt32(truncatingIfNeeded: low))
    }
    bytes.append(bigEndian: high)
    bytes.append(bigEndian: low)
  }
}
