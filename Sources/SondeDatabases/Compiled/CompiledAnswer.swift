import SondeAddresses
import SondeRecords
import SondeSystem

/// The answers of a table: records without their address and network.
///
/// 80 bytes of numbers, then the texts one after another, padded to whole words: checksum (8),
/// latitude (8), longitude (8), AS number (4), flags (2), bytes of all texts (2), for each
/// ``TextField`` the bytes of its text (2 each), and the accuracy radius (2).
enum CompiledAnswer {
  static let size = 80
  private static let systemPlace = 24
  private static let countsPlace = 32
  private static let radiusPlace = countsPlace + 2 * TextField.allCases.count
  /// The accuracy radius of a record without one.
  private static let noRadius = UInt16.max

  /// The bytes of an answer for a certain offset; `nil` if the texts are too long.
  static func bytes(of record: Record, texts: [UInt8], at offset: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.append(number: record.latitude.bitPattern)
    bytes.append(number: record.longitude.bitPattern)
    bytes.append(number: record.asn)
    bytes.append(number: Flags(record).bits)
    let counts = TextField.allCases.map { record[$0].count }
    guard let total = UInt16(exactly: counts.reduce(0, +)) else { return nil }
    bytes.append(number: total)
    for count in counts { bytes.append(number: UInt16(count)) }
    bytes.append(number: record.accuracyRadius ?? noRadius)
    while bytes.count < size - 8 { bytes.append(0) }
    for field in TextField.allCases { _ = bytes.append(record[field], of: texts) }
    while !bytes.count.isMultiple(of: 8) { bytes.append(0) }
    let sum = Checksum.of(bytes.span, after: UInt64(offset))
    var all: [UInt8] = []
    all.append(number: sum)
    return all + bytes
  }

  /// The AS number of the answer at an offset, unchecked; 0 if there is none.
  static func systemNumber(in mapping: TableMapping, at offset: Int) -> UInt32 {
    let bytes = unsafe mapping.bytes(at: offset + systemPlace, count: 4)
    return unsafe bytes.isEmpty ? 0 : bytes.load(as: UInt32.self)
  }

  /// Copies the answer at an offset to a record; the texts are appended to `texts`.
  @inline(__always)
  static func fill(
    _ record: inout Record,
    from mapping: TableMapping,
    at offset: Int,
    limit: Int,
    texts: inout [UInt8]
  ) throws(CompiledDatabase.Damage) {
    guard offset >= CompiledLayout.headerSize, offset <= limit - size else {
      throw CompiledDatabase.Damage()
    }
    let head = unsafe mapping.bytes(at: offset, count: size)
    let total = unsafe Int(head.load(fromByteOffset: 30, as: UInt16.self))
    let whole = (size + total + 7) & ~7
    guard offset <= limit - whole else { throw CompiledDatabase.Damage() }
    let body = unsafe mapping.bytes(at: offset + 8, count: whole - 8)
    guard unsafe Checksum.of(body.bytes, after: UInt64(offset)) == head.load(as: UInt64.self) else {
      throw CompiledDatabase.Damage()
    }
    var end = texts.count
    unsafe texts.append(contentsOf: mapping.bytes(at: offset + size, count: total))
    for index in record.texts.indices {
      let place = countsPlace + 2 * index
      let count = unsafe Int(head.load(fromByteOffset: place, as: UInt16.self))
      if count > 0 { record.texts[index] = TextRange(offset: UInt32(end), count: UInt32(count)) }
      end += count
    }
    // A checksum does not help if the bytes were never correct.
    guard end == texts.count else { throw CompiledDatabase.Damage() }
    record.latitude = unsafe Double(bitPattern: head.load(fromByteOffset: 8, as: UInt64.self))
    record.longitude = unsafe Double(bitPattern: head.load(fromByteOffset: 16, as: UInt64.self))
    record.asn = unsafe head.load(fromByteOffset: systemPlace, as: UInt32.self)
    let radius = unsafe head.load(fromByteOffset: radiusPlace, as: UInt16.self)
    record.accuracyRadius = radius == noRadius ? nil : radius
    unsafe Flags(bits: head.load(fromByteOffset: 28, as: UInt16.self)).fill(&record)
  }

  /// Six optional booleans, two bits each: whether it exists, and its value.
  private struct Flags {
    let bits: UInt16

    init(bits: UInt16) { self.bits = bits }

    init(_ record: Record) {
      let flags = [
        record.isMobile, record.isProxy, record.isHosting, record.isTor, record.isVPN,
        record.isRelay,
      ]
      bits = flags.enumerated().reduce(0) { $0 | Self.bits($1.element) << UInt16(2 * $1.offset) }
    }

    func fill(_ record: inout Record) {
      record.isMobile = flag(0)
      record.isProxy = flag(1)
      record.isHosting = flag(2)
      record.isTor = flag(3)
      record.isVPN = flag(4)
      record.isRelay = flag(5)
    }

    private func flag(_ index: UInt16) -> Bool? {
      let pair = bits >> (2 * index)
      return pair & 2 == 0 ? nil : pair & 1 != 0
    }

    private static func bits(_ flag: Bool?) -> UInt16 { flag.map { $0 ? 3 : 2 } ?? 0 }
  }
}

extension [UInt8] {
  /// Appends a number in native byte order.
  fileprivate mutating func append<Number: FixedWidthInteger>(number: Number) {
    unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
  }
}
