import Glibc

extension Span<UInt8> {
  /// The little-endian number at an offset, which must be in bounds.
  @inline(__always)
  func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
    let bytes = unsafe self.bytes
    let number = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self)
    return Number(littleEndian: number)
  }

  /// Whether the bytes are valid UTF-8 (RFC 3629).
  var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}

extension [UInt8] {
  init(copying bytes: Span<UInt8>) {
    self.init()
    append(copying: bytes)
  }

  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends a little-endian number.
  mutating func append(number: Int64) { append(inMemory: number.littleEndian) }

  mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(bigEndian number: Number) {
    append(inMemory: number.bigEndian)
  }

  @inline(__always)
  private mutating func append<Number: BitwiseCopyable>(inMemory number: Number) {
    unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
  }
}
