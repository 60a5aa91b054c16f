import CLzma
import CZlib
import CZstd

/// gzip, of one or more members (RFC 1952 §2.2).
///
/// One thread at a time may use it (zlib's manual).
@safe final class GzipDecoder: Decoder {
  /// The largest window, and the gzip wrapping (zlib's manual, `inflateInit2`).
  private static let windowBits: Int32 = 15 + 16

  private let stream: UnsafeMutablePointer<z_stream>
  private(set) var isComplete = false
  private var isBehindMember = false

  init() throws(DecodingFailure) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    guard unsafe inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else {
      unsafe stream.deallocate()
      throw DecodingFailure(reason: "out of memory")
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecodingFailure) -> (taken: Int, given: Int) {
    if isBehindMember, let first = unsafe input.first {
      // gzip(1): zeros that pad the end, as on tapes, are passed over.
      if first == 0 { return (unsafe input.prefix { $0 == 0 }.count, 0) }
      guard unsafe inflateReset(stream) == Z_OK else {
        throw DecodingFailure(reason: "out of memory")
      }
      (isBehindMember, isComplete) = (false, false)
    }
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    unsafe stream.pointee.avail_in = UInt32(input.count)
    unsafe stream.pointee.next_out = output.baseAddress
    unsafe stream.pointee.avail_out = UInt32(output.count)
    let code = unsafe inflate(stream, Z_NO_FLUSH)
    guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
      let detail = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
      throw .damaged("gzip", detail ?? "zlib error \(code)")
    }
    if code == Z_STREAM_END { (isBehindMember, isComplete) = (true, true) }
    return unsafe (
      input.count - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out)
    )
  }
}

/// Zstandard, of one or more frames (RFC 8878 §3).
///
/// One thread at a time may use it (zstd.h).
@safe final class ZstdDecoder: Decoder {
  private let stream: OpaquePointer
  private(set) var isComplete = false

  init() throws(DecodingFailure) {
    guard let stream = unsafe ZSTD_createDStream() else {
      throw DecodingFailure(reason: "out of memory")
    }
    unsafe self.stream = stream
  }

  deinit { unsafe ZSTD_freeDStream(stream) }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecodingFailure) -> (taken: Int, given: Int) {
    var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let left = unsafe ZSTD_decompressStream(stream, &target, &source)
    guard ZSTD_isError(left) == 0 else {
      throw .damaged("zstd", unsafe String(cString: ZSTD_getErrorName(left)))
    }
    // Without input it asks for the header of another frame, which need not come.
    if unsafe source.pos > 0 || target.pos > 0 { isComplete = left == 0 }
    return unsafe (source.pos, target.pos)
  }
}

/// xz, of one or more streams.
///
/// One thread at a time may use it (lzma/base.h).
@safe final class XZDecoder: Decoder {
  /// What a file packed with `xz -9` needs ten times over, so that a hostile one is refused.
  private static let memoryLimit: UInt64 = 700 << 20

  private let stream: UnsafeMutablePointer<lzma_stream>
  private(set) var isComplete = false

  init() throws(DecodingFailure) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: lzma_stream())
    let code = unsafe lzma_stream_decoder(stream, Self.memoryLimit, sonde_lzma_concatenated)
    guard code == LZMA_OK else {
      unsafe stream.deallocate()
      throw DecodingFailure(reason: "out of memory")
    }
  }

  deinit {
    unsafe lzma_end(stream)
    unsafe stream.deallocate()
  }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecodingFailure) -> (taken: Int, given: Int) {
    unsafe stream.pointee.next_in = input.baseAddress
    unsafe stream.pointee.avail_in = input.count
    unsafe stream.pointee.next_out = output.baseAddress
    unsafe stream.pointee.avail_out = output.count
    // With concatenated streams only the end of the input tells that the last one is over.
    let code = unsafe lzma_code(stream, input.isEmpty ? LZMA_FINISH : LZMA_RUN)
    guard code == LZMA_OK || code == LZMA_STREAM_END || code == LZMA_BUF_ERROR else {
      throw .damaged("xz", "liblzma error \(code.rawValue)")
    }
    isComplete = code == LZMA_STREAM_END
    return unsafe (input.count - stream.pointee.avail_in, output.count - stream.pointee.avail_out)
  }
}
