import CSondeZlib

/// gzip, of one or more members (RFC 1952 §2.2).
///
/// One thread at a time may use it (zlib's manual).
@safe final class GzipDecoder: Decoder {
  /// The largest window, and the gzip wrapping (zlib's manual, `inflateInit2`).
  private static let windowBits: Int32 = 15 + 16
  /// The fixed part of a member's header (RFC 1952 §2.3).
  private static let headerSize = 10

  private let stream: UnsafeMutablePointer<z_stream>
  private(set) var isComplete = false
  private var isBehindMember = false
  private var members = 0

  init() throws(DecoderError) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    guard unsafe inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else {
      unsafe stream.deallocate()
      throw .outOfMemory
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecoderError) -> (taken: Int, given: Int) {
    if isBehindMember, let first = unsafe input.first {
      // Like gzip(1), skips zero padding at the end, as on tapes.
      if first == 0 { return (unsafe input.prefix { $0 == 0 }.count, 0) }
      guard unsafe inflateReset(stream) == Z_OK else { throw .outOfMemory }
      (isBehindMember, isComplete) = (false, false)
    }
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
    unsafe stream.pointee.next_out = output.baseAddress
    unsafe stream.pointee.avail_out = UInt32(clamping: output.count)
    let (packed, room) = unsafe (stream.pointee.avail_in, stream.pointee.avail_out)
    let code = unsafe inflate(stream, Z_NO_FLUSH)
    guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw failure(code) }
    if code == Z_STREAM_END {
      (isBehindMember, isComplete) = (true, true)
      members += 1
    }
    return unsafe (Int(packed - stream.pointee.avail_in), Int(room - stream.pointee.avail_out))
  }

  private func failure(_ code: Int32) -> DecoderError {
    if code == Z_MEM_ERROR { return .outOfMemory }
    if members > 0, unsafe stream.pointee.total_in <= Self.headerSize {
      return .garbage(behind: .gzip)
    }
    let detail = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
    return .damaged(.gzip, detail ?? "zlib error \(code)")
  }
}
