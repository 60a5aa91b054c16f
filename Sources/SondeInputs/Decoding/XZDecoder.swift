import CSondeLzma
import SondeSystem

/// xz, of one or more streams.
///
/// One thread at a time may use it (lzma/base.h).
@safe final class XZDecoder: Decoder {
  /// The memory for the largest dictionary; only used parts are allocated.
  static let memoryLimit = UnpackingLimit.window + UnpackingLimit.overhead
  /// The size of zero padding after a stream is a multiple of this (xz-file-format.txt §2.2).
  private static let paddingUnit = 4
  private static let firstByte: UInt8 = 0xfd

  /// liblzma's functions, loaded with the first input in xz format.
  ///
  /// Never written after loading; each function is used by the only owner of its stream.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_lzma> in
    let library = DynamicLibrary("liblzma.so.5", package: "liblzma5")
    return unsafe try library.load(sonde_lzma_names(), as: sonde_lzma.self)
  }

  private let library: UnsafePointer<sonde_lzma>
  private let stream: UnsafeMutablePointer<lzma_stream>
  private let memoryLimit: UInt64
  private var streams = 0
  /// The number of zeros after a stream; `nil` within one.
  private var padding: Int?

  var isComplete: Bool { padding?.isMultiple(of: Self.paddingUnit) ?? false }

  /// Creates a decoder with a limit of memory in bytes; throws if memory is short.
  init(memoryLimit: UInt64 = XZDecoder.memoryLimit) throws(DecoderError) {
    self.memoryLimit = memoryLimit
    do throws(LibraryError) {
      unsafe library = try Self.loaded.get()
    } catch {
      throw DecoderError(reason: "\(error)")
    }
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: lzma_stream())
    guard unsafe library.pointee.lzma_stream_decoder(stream, memoryLimit, 0) == LZMA_OK else {
      unsafe stream.deallocate()
      throw .outOfMemory
    }
  }

  deinit {
    unsafe library.pointee.lzma_end(stream)
    unsafe stream.deallocate()
  }

  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecoderError) -> (taken: Int, given: Int) {
    if let padding, let first = unsafe input.first {
      let zeros = unsafe first == 0 ? input.prefix { $0 == 0 }.count : 0
      self.padding = padding + zeros
      guard zeros == 0 else { return (zeros, 0) }
      // liblzma would only report this after the whole header.
      guard first == Self.firstByte else { throw .garbage(behind: .xz) }
      try beginStream()
    }
    guard padding == nil else { return (0, 0) }
    unsafe stream.pointee.next_in = input.baseAddress
    unsafe stream.pointee.avail_in = input.count
    unsafe stream.pointee.next_out = output.baseAddress
    unsafe stream.pointee.avail_out = output.count
    let code = unsafe library.pointee.lzma_code(stream, LZMA_RUN)
    guard code == LZMA_OK || code == LZMA_STREAM_END || code == LZMA_BUF_ERROR else {
      throw failure(code)
    }
    if code == LZMA_STREAM_END { (padding, streams) = (0, streams + 1) }
    return unsafe (input.count - stream.pointee.avail_in, output.count - stream.pointee.avail_out)
  }

  private func beginStream() throws(DecoderError) {
    guard isComplete else { throw .damaged(.xz, "its padding is cut short") }
    guard unsafe library.pointee.lzma_stream_decoder(stream, memoryLimit, 0) == LZMA_OK else {
      throw .outOfMemory
    }
    padding = nil
  }

  private func failure(_ code: lzma_ret) -> DecoderError {
    switch code {
    case LZMA_MEM_ERROR: .outOfMemory
    case LZMA_MEMLIMIT_ERROR: .needsLarge("dictionary", unpackedBy: "xz -dc")
    case LZMA_FORMAT_ERROR where streams > 0: .garbage(behind: .xz)
    case LZMA_OPTIONS_ERROR: .damaged(.xz, "it uses what this liblzma does not know")
    case LZMA_DATA_ERROR: .damaged(.xz, "it is corrupt")
    default: .damaged(.xz, "liblzma error \(code.rawValue)")
    }
  }
}
