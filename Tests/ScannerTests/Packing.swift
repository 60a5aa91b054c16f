import CSondeBzip2
import CSondeLzma
import CSondeZlib
import CSondeZstd

@testable import SondeInputs

extension Compression {
  /// Packs bytes with the library of the format itself, as one member, frame or stream.
  func pack(_ bytes: [UInt8]) -> [UInt8] {
    let room = bytes.count + bytes.count / 8 + 1024
    return unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
      unsafe bytes.withUnsafeBufferPointer { input in
        switch self {
        case .gzip: count = unsafe packGzip(input, output)
        case .bzip2: count = unsafe packBzip2(input, output)
        case .zstd:
          count = unsafe ZSTD_compress(output.baseAddress, room, input.baseAddress, input.count, 3)
        case .xz:
          _ = unsafe lzma_easy_buffer_encode(
            0,
            LZMA_CHECK_CRC64,
            nil,
            input.baseAddress,
            input.count,
            output.baseAddress,
            &count,
            room
          )
        }
      }
    }
  }

  private func packGzip(
    _ input: UnsafeBufferPointer<UInt8>,
    _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var stream = unsafe z_stream()
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    unsafe deflateInit2_(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    unsafe stream.avail_in = UInt32(input.count)
    unsafe stream.next_out = output.baseAddress
    unsafe stream.avail_out = UInt32(output.count)
    unsafe deflate(&stream, Z_FINISH)
    unsafe deflateEnd(&stream)
    return unsafe output.count - Int(stream.avail_out)
  }

  private func packBzip2(
    _ input: UnsafeBufferPointer<UInt8>,
    _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var count = UInt32(output.count)
    unsafe output.withMemoryRebound(to: CChar.self) { output in
      unsafe input.withMemoryRebound(to: CChar.self) { input in
        let bytes = unsafe UnsafeMutablePointer(mutating: input.baseAddress)
        _ = unsafe BZ2_bzBuffToBuffCompress(
          output.baseAddress,
          &count,
          bytes,
          UInt32(input.count),
          9,
          0,
          0
        )
      }
    }
    return Int(count)
  }

  /// Unpacks as a reader does: what is not taken is given again, and at the end nothing is given.
  ///
  /// - Parameters:
  ///   - packed: The packed bytes.
  ///   - piece: How many packed bytes come next, at least one.
  ///   - room: How much room there is for unpacked bytes, at least one.
  /// - Returns: The unpacked bytes.
  /// - Throws: ``DecoderError`` as a reader would report it.
  func unpack(
    _ packed: [UInt8],
    piece: () -> Int = { .max },
    room: () -> Int = { 65_536 }
  ) throws(DecoderError) -> [UInt8] {
    try decoder().all(packed, piece: piece, room: room)
  }
}

extension Decoder {
  /// Decodes as a reader does; see ``Compression/unpack(_:piece:room:)``.
  func all(
    _ packed: [UInt8],
    piece: () -> Int = { .max },
    room: () -> Int = { 65_536 }
  ) throws(DecoderError) -> [UInt8] {
    var unpacked: [UInt8] = []
    var (buffer, rest): ([UInt8], ArraySlice<UInt8>) = ([], packed[...])
    while true {
      if buffer.isEmpty {
        let next = rest.prefix(max(1, piece()))
        rest = rest.dropFirst(next.count)
        buffer = Array(next)
      }
      let isAtEnd = buffer.isEmpty
      let (taken, given) = try step(buffer, room: room(), into: &unpacked)
      buffer.removeFirst(taken)
      guard isAtEnd, given == 0 else { continue }
      guard isComplete else { throw .cutShort }
      return unpacked
    }
  }

  private func step(
    _ input: [UInt8],
    room: Int,
    into unpacked: inout [UInt8]
  ) throws(DecoderError) -> (taken: Int, given: Int) {
    var output = [UInt8](repeating: 0, count: room)
    var result: Result<(taken: Int, given: Int), DecoderError> = .success((0, 0))
    unsafe input.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        do throws(DecoderError) {
          result = .success(try unsafe decode(input, into: output))
        } catch {
          result = .failure(error)
        }
      }
    }
    let (taken, given) = try result.get()
    unpacked += output.prefix(given)
    return (taken, given)
  }
}
