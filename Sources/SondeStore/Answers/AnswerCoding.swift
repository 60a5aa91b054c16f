import Glibc
import SondeAddresses
import SondeRecords
import SondeSQLite

// How an answer is written:
//
//     1 byte    status (1 bit), source + 1 or 0 (the lower 3 bits of it), whether there are a
//               latitude, a longitude and an AS number (3 bits), the source's next bit
//     1 byte    mobile, proxy, hosting: 2 bits each, 0 for unknown, 1 for no, 2 for yes; the
//               source's upper 2 bits
//     2 bytes   which of the first 16 texts are present, a bit for each `TextField`; that of the
//               item, whether there are further values
//     1 byte    of those, if present: Tor exit, VPN, relay: 2 bits each as above, whether there
//               is an accuracy radius, whether there are later texts
//     2, 2      that radius, and which of the next 16 texts are present
//     8, 8, 4   latitude, longitude and AS number, if present
//     …         the length in bytes of each present text (LEB128)
//     …         the present texts in sequence
//
// Numbers are little-endian. The item is never saved: it is the text of the address. Earlier
// versions wrote no further values, and take an answer with some for a damaged one.

/// Answers encoded for the disk.
struct EncodedAnswers: Sendable {
  /// One answer.
  struct Item: Sendable {
    var address: Address
    /// In seconds since 1970 UTC.
    var given: Int64
    var range: Range<Int>
  }

  private(set) var items: [Item] = []
  private(set) var bytes: [UInt8] = []

  /// The largest size of an answer that is saved.
  static let mostBytes = 1 << 16

  /// Encodes the `ok` and `unknown` records of a block, with the time `now` unless they have their
  /// own.
  init(_ block: RecordBlock, now: Int64) {
    let texts = block.bytes.span
    let bits = TextField.allCases.map(\.bit)
    items.reserveCapacity(block.records.count)
    bytes.reserveCapacity(160 * block.records.count)
    for record in block.records where record.status == .ok || record.status == .unknown {
      guard let address = record.address else { continue }
      let start = bytes.count
      guard encode(record, texts, bits) else { continue }
      let given = record.fetchedAt ?? now
      items.append(Item(address: address, given: given, range: start..<bytes.count))
    }
  }

  /// Encodes a record; returns `false` if it is too long.
  private mutating func encode(_ record: Record, _ texts: Span<UInt8>, _ bits: [UInt32]) -> Bool {
    let room = Self.fixedRoom + record.texts.size
    guard room <= Self.mostBytes else { return false }
    bytes.append(addingCapacity: room) { output in
      unsafe output.withUnsafeMutableBufferPointer { buffer, count in
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
        var writer = unsafe RawWriter(UnsafeMutableRawBufferPointer(rest))
        writer.put(record, texts, bits)
        count += writer.count
      }
    }
    return true
  }

  /// The size of everything but the texts: the head, the numbers, and lengths of three bytes.
  private static let fixedRoom = 4 + 5 + 20 + 3 * TextField.allCases.count
}

extension TextField {
  /// The bit of a text among those that an answer has, by the number of the field: the lower 16 are
  /// in the head, the upper ones among the further values, which the bit of the item announces.
  ///
  /// A 33rd field requires a longer head and a new version of the files.
  var bit: UInt32 { 1 << UInt32(rawValue) }
}

/// Writes into memory that must be large enough; otherwise it traps.
@safe private struct RawWriter {
  private let buffer: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  private var left: Int { unsafe buffer.count - count }

  init(_ buffer: UnsafeMutableRawBufferPointer) { unsafe self.buffer = unsafe buffer }

  mutating func put(_ record: Record, _ bytes: Span<UInt8>, _ bits: [UInt32]) {
    let (latitude, longitude, asn) = (record.latitude, record.longitude, record.asn)
    var head: UInt32 = record.status == .ok ? 0 : 1
    let source = record.source.map { UInt32($0.number) + 1 } ?? 0
    head |= (source & 7) << 1 | (source >> 3 & 1) << 7 | (source >> 4) << 14
    head |= (latitude.isNaN ? 0 : 1) << 4 | (longitude.isNaN ? 0 : 1) << 5 | (asn == 0 ? 0 : 1) << 6
    head |= Self.bits(record.isMobile) << 8 | Self.bits(record.isProxy) << 10
    head |= Self.bits(record.isHosting) << 12
    let texts = record.texts.all
    let ranges = texts.span
    var present: UInt32 = 0
    for field in ranges.indices.dropFirst() where !ranges[field].isEmpty {
      present |= bits[field]
    }
    let further = Self.furtherBits(of: record, present)
    if further != 0 { present |= TextField.item.bit }
    put(head | present << 16)
    if further != 0 {
      put(further)
      if let radius = record.accuracyRadius { put(radius) }
      if present >> 16 != 0 { put(UInt16(present >> 16)) }
    }
    if !latitude.isNaN { put(latitude.bitPattern) }
    if !longitude.isNaN { put(longitude.bitPattern) }
    if asn != 0 { put(asn) }
    putTexts(ranges, bytes)
  }

  private static func bits(_ flag: Bool?) -> UInt32 { flag.map { $0 ? 2 : 1 } ?? 0 }

  private static func furtherBits(of record: Record, _ texts: UInt32) -> UInt8 {
    let flags = bits(record.isTor) | bits(record.isVPN) << 2 | bits(record.isRelay) << 4
    let hasRadius = record.accuracyRadius != nil
    return UInt8(flags) | (hasRadius ? 1 << 6 : 0) | (texts >> 16 != 0 ? 1 << 7 : 0)
  }

  private mutating func putTexts(_ ranges: Span<TextRange>, _ bytes: Span<UInt8>) {
    for field in ranges.indices.dropFirst() where !ranges[field].isEmpty {
      var length = ranges[field].count
      while length >= 128 {
        put(UInt8(truncatingIfNeeded: length) | 128)
        length >>= 7
      }
      put(UInt8(length))
    }
    for field in ranges.indices.dropFirst() where !ranges[field].isEmpty {
      let range = ranges[field]
      let start = Int(range.offset)
      put(bytes.extracting(start..<start + Int(range.count)))
    }
  }

  private mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    precondition(left >= MemoryLayout<Number>.size, "no room for a number")
    unsafe buffer.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
    count += MemoryLayout<Number>.size
  }

  private mutating func put(_ text: Span<UInt8>) {
    precondition(left >= text.count, "no room for a text")
    unsafe text.withUnsafeBytes { text in
      guard let target = unsafe buffer.baseAddress, let source = text.baseAddress else { return }
      unsafe memcpy(target + count, source, text.count)
    }
    count += text.count
  }
}

// MARK: - Decoding

extension Record {
  /// Decodes an answer from untrusted bytes, to which the ranges of its texts refer; fails if they
  /// are not one, and clears `isClean` if a text has a control character.
  init?(address: Address, in bytes: Span<UInt8>, at range: Range<Int>, _ isClean: inout Bool) {
    guard range.upperBound <= bytes.count, range.upperBound <= UInt32.max else { return nil }
    var reader = RawReader(range)
    guard let head: UInt32 = reader.number(bytes) else { return nil }
    self.init(address: address, status: head & 1 == 0 ? .ok : .unknown)
    isCached = true
    let source = head >> 1 & 7 | (head >> 7 & 1) << 3 | (head >> 14 & 3) << 4
    if source > 0 {
      guard let source = Source(number: source - 1) else { return nil }
      self.source = source
    }
    var present = head >> 16
    if present & TextField.item.bit != 0 {
      present &= ~TextField.item.bit
      guard let later = readFurther(bytes, &reader) else { return nil }
      present |= later << 16
    }
    let isWhole = readNumbers(head, bytes, &reader) && readFlags(head)
    guard isWhole, readTexts(present, bytes, &reader, &isClean) else { return nil }
  }

  private mutating func readNumbers(
    _ head: UInt32,
    _ bytes: Span<UInt8>,
    _ reader: inout RawReader
  ) -> Bool {
    if head & 1 << 4 != 0 {
      guard let bits: UInt64 = reader.number(bytes) else { return false }
      latitude = Double(bitPattern: bits)
      guard abs(latitude) <= 90 else { return false }
    }
    if head & 1 << 5 != 0 {
      guard let bits: UInt64 = reader.number(bytes) else { return false }
      longitude = Double(bitPattern: bits)
      guard abs(longitude) <= 180 else { return false }
    }
    if head & 1 << 6 != 0 {
      guard let number: UInt32 = reader.number(bytes) else { return false }
      asn = number
    }
    return true
  }

  private mutating func readFlags(_ head: UInt32) -> Bool {
    guard let flags = Self.flags(in: head >> 8) else { return false }
    (isMobile, isProxy, isHosting) = flags
    return true
  }

  /// Three flags of two bits each; `nil` if one is invalid.
  private static func flags(in bits: UInt32) -> (Bool?, Bool?, Bool?)? {
    let flags = (bits & 3, bits >> 2 & 3, bits >> 4 & 3)
    guard flags.0 < 3, flags.1 < 3, flags.2 < 3 else { return nil }
    return (
      flags.0 == 0 ? nil : flags.0 == 2, flags.1 == 0 ? nil : flags.1 == 2,
      flags.2 == 0 ? nil : flags.2 == 2
    )
  }

  /// Reads the further values, and returns the bits of the later texts; `nil` if they are invalid.
  private mutating func readFurther(_ bytes: Span<UInt8>, _ reader: inout RawReader) -> UInt32? {
    guard let further: UInt8 = reader.number(bytes), further != 0,
      let flags = Self.flags(in: UInt32(further))
    else { return nil }
    (isTor, isVPN, isRelay) = flags
    if further & 1 << 6 != 0 {
      guard let radius: UInt16 = reader.number(bytes), radius <= Self.longestRadius else {
        return nil
      }
      accuracyRadius = radius
    }
    guard further & 1 << 7 != 0 else { return 0 }
    guard let later: UInt16 = reader.number(bytes) else { return nil }
    return UInt32(later)
  }

  private mutating func readTexts(
    _ mask: UInt32,
    _ bytes: Span<UInt8>,
    _ reader: inout RawReader,
    _ isClean: inout Bool
  ) -> Bool {
    var (left, total) = (mask, 0)
    while left != 0 {
      let field = left.trailingZeroBitCount
      left &= left - 1
      guard texts.indices.contains(field), let length = reader.length(bytes) else { return false }
      texts[field].count = length
      total += Int(length)
    }
    guard total == reader.left else { return false }
    let isPlain = bytes.extracting(reader.index..<reader.end).isPrintableASCII
    left = mask
    while left != 0 {
      let field = left.trailingZeroBitCount
      left &= left - 1
      let count = Int(texts[field].count)
      guard let start = reader.skip(count) else { return false }
      if !isPlain {
        let text = bytes.extracting(start..<start + count)
        guard text.isUTF8 else { return false }
        if text.hasControls { isClean = false }
      }
      texts[field].offset = UInt32(start)
    }
    return true
  }
}

private struct RawReader {
  private(set) var index: Int
  let end: Int

  init(_ range: Range<Int>) { (index, end) = (range.lowerBound, range.upperBound) }

  var left: Int { end - index }

  @inline(__always)
  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: Span<UInt8>
  ) -> Number? {
    guard left >= MemoryLayout<Number>.size else { return nil }
    defer { index += MemoryLayout<Number>.size }
    return bytes.number(at: index)
  }

  /// Reads the length of a text, which is not empty.
  mutating func length(_ bytes: Span<UInt8>) -> UInt32? {
    var (length, shift) = (UInt32(0), UInt32(0))
    while let byte: UInt8 = number(bytes), shift < 21 {
      length |= UInt32(byte & 127) << shift
      if byte < 128 { return length > 0 ? length : nil }
      shift += 7
    }
    return nil
  }

  /// Skips bytes, and returns their start.
  mutating func skip(_ count: Int) -> Int? {
    guard left >= count else { return nil }
    defer { index += count }
    return index
  }
}
