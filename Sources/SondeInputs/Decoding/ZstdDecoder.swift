import CSondeZstd

/// Zstandard, of one or more frames (RFC 8878 §3).
///
/// One thread at a time may use it (zstd.h).
@safe final class ZstdDecoder: Decoder {
  /// The logarithm of the largest window; only used parts are allocated.
  private static let windowLog = Int32(UnpackingLimit.window.trailingZeroBitCount)

  private let stream: OpaquePointer
  private(set) var isComplete = false
  private var frames = 0

  init() throws(DecoderError) {
    guard let stream = unsafe ZSTD_createDStream() else { throw .outOfMemory }
    unsafe self.stream = stream
    _ = unsafe ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.windowLog)
  }

  deinit { unsafe ZSTD_freeDStream(stream) }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecoderError) -> (taken: Int, given: Int) {
    var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let left = unsafe ZSTD_decompressStream(stream, &target, &source)
    guard ZSTD_isError(left) == 0 else { throw failure(left) }
    // Without input it waits for the header of another frame, which is optional.
    if unsafe source.pos > 0 || target.pos > 0 {
      isComplete = left == 0
      if isComplete { frames += 1 }
    }
    return unsafe (source.pos, target.pos)
  }

  private func failure(_ result: Int) -> DecoderError {
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_memory_allocation: return .outOfMemory
    case ZSTD_error_frameParameter_windowTooLarge:
      return .needsLarge("window", unpackedBy: "zstd -dc --long=31")
    // Only the start of a frame causes this error.
    case ZSTD_error_prefix_unknown where frames > 0: return .garbage(behind: .zstd)
    default: return .damaged(.zstd, unsafe String(cString: ZSTD_getErrorName(result)))
    }
  }
}
