import CSondeBzip2
import SondeSystem

/// bzip2, of one or more streams.
///
/// One thread at a time may use it (bzip2's manual, §3.8).
@safe final class Bzip2Decoder: Decoder {
  /// bzip2's functions, loaded with the first input in that format.
  ///
  /// Never written after loading; each function is used by the only owner of its stream.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_bzip2> in
    let library = DynamicLibrary("libbz2.so.1.0", "libbz2.so.1", package: "libbz2-1.0")
    return unsafe try library.load(sonde_bzip2_names(), as: sonde_bzip2.self)
  }

  private let library: UnsafePointer<sonde_bzip2>
  private let stream: UnsafeMutablePointer<bz_stream>
  private(set) var isComplete = false
  private var isBehindStream = false
  private var streams = 0

  init() throws(DecoderError) {
    do throws(LibraryError) {
      unsafe library = try Self.loaded.get()
    } catch {
      throw DecoderError(reason: "\(error)")
    }
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: bz_stream())
    guard unsafe library.pointee.BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else {
      unsafe stream.deallocate()
      throw .outOfMemory
    }
  }

  deinit {
    // For a stream that could not be started, this fails without effect.
    unsafe _ = library.pointee.BZ2_bzDecompressEnd(stream)
    unsafe stream.deallocate()
  }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecoderError) -> (taken: Int, given: Int) {
    if isBehindStream {
      guard !input.isEmpty else { return (0, 0) }
      try beginStream()
    }
    unsafe stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?
      .assumingMemoryBound(to: CChar.self)
    unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
    unsafe stream.pointee.next_out = UnsafeMutableRawPointer(output.baseAddress)?
      .assumingMemoryBound(to: CChar.self)
    unsafe stream.pointee.avail_out = UInt32(clamping: output.count)
    let (packed, room) = unsafe (stream.pointee.avail_in, stream.pointee.avail_out)
    let code = unsafe library.pointee.BZ2_bzDecompress(stream)
    guard code == BZ_OK || code == BZ_STREAM_END else { throw failure(code) }
    if code == BZ_STREAM_END { (isBehindStream, isComplete, streams) = (true, true, streams + 1) }
    return unsafe (Int(packed - stream.pointee.avail_in), Int(room - stream.pointee.avail_out))
  }

  private func beginStream() throws(DecoderError) {
    unsafe _ = library.pointee.BZ2_bzDecompressEnd(stream)
    guard unsafe library.pointee.BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else {
      throw .outOfMemory
    }
    (isBehindStream, isComplete) = (false, false)
  }

  private func failure(_ code: Int32) -> DecoderError {
    switch code {
    case BZ_MEM_ERROR: .outOfMemory
    // Only the first four bytes of a stream cause this error.
    case BZ_DATA_ERROR_MAGIC where streams > 0: .garbage(behind: .bzip2)
    default: .damaged(.bzip2, "it is corrupt")
    }
  }
}
