import CSondeZlib
import CSondeZstd

/// The compression of an output in complete members.
///
/// Each member can be read without the others, so the output may be truncated after any of them.
public enum Packing: Sendable {
  /// gzip (RFC 1952 §2.2).
  case gzip
  /// Zstandard (RFC 8878 §3.1), which calls its members frames.
  case zstd

  /// The default levels of zlib and zstd.
  private static let (gzipLevel, zstdLevel): (Int32, Int32) = (6, 3)
  /// The largest window, and the gzip wrapping (zlib's manual, `deflateInit2`).
  private static let windowBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 8

  /// A member that holds some bytes; `nil` if memory is short.
  func member(of bytes: [UInt8]) -> [UInt8]? {
    switch self {
    case .gzip: gzipMember(of: bytes)
    case .zstd: zstdFrame(of: bytes)
    }
  }

  private func gzipMember(of bytes: [UInt8]) -> [UInt8]? {
    var stream = unsafe z_stream()
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    let isReady = unsafe deflateInit2_(
      &stream,
      Self.gzipLevel,
      Z_DEFLATED,
      Self.windowBits,
      Self.memoryLevel,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      size
    )
    guard isReady == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }
    let room = Int(unsafe deflateBound(&stream, uLong(bytes.count)))
    var isWhole = false
    var input = bytes
    let member = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
      unsafe input.withUnsafeMutableBufferPointer { input in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        unsafe isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
        unsafe count = output.count - Int(stream.avail_out)
      }
    }
    return isWhole ? member : nil
  }

  private func zstdFrame(of bytes: [UInt8]) -> [UInt8]? {
    guard let context = unsafe ZSTD_createCCtx() else { return nil }
    defer { unsafe _ = ZSTD_freeCCtx(context) }
    unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.zstdLevel)
    unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    var isWhole = false
    let frame = unsafe [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) {
      output,
      count in
      let size = unsafe ZSTD_compress2(
        context,
        output.baseAddress,
        output.count,
        bytes,
        bytes.count
      )
      isWhole = ZSTD_isError(size) == 0
      count = isWhole ? size : 0
    }
    return isWhole ? frame : nil
  }
}
