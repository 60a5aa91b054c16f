internal import CSondeZlib
import SondeSystem
internal import Synchronization

/// A static file in memory, with an entity tag of its version.
public final class Asset: Sendable {
  private let bytes: [UInt8]
  private let type: String
  private let tag: String
  /// Created for the first client that accepts it; empty if it is no shorter.
  private let compressed = Mutex<[UInt8]?>(nil)

  /// Creates an asset from its content and media type: `text/css; charset=utf-8`.
  public init(_ bytes: [UInt8], type: String) {
    (self.bytes, self.type) = (bytes, type)
    tag = String(sha256InBase64(bytes).prefix(22))
  }

  /// Creates an asset from bytes that are copied, such as a file embedded in the program.
  public convenience init(_ bytes: UnsafePointer<UInt8>, count: Int, type: String) {
    unsafe self.init(Array(UnsafeBufferPointer(start: bytes, count: count)), type: type)
  }

  /// The answer to a request for it: 304 if the client has the current version.
  public func response(to request: Request) -> Response {
    let accepted = AcceptedEncodings(request.headers.values(of: "Accept-Encoding"))
    let gzip = accepted.hasGzip ? compressedBytes() : []
    let tag = gzip.isEmpty ? "\"\(tag)\"" : "\"\(tag)-gzip\""
    let known = EntityTags(request.headers.values(of: "If-None-Match"))
    var response =
      known.contains(tag)
      ? Response(status: 304, type: nil, body: .bytes([]))
      : .bytes(gzip.isEmpty ? bytes : gzip, type: type)
    response.headers["ETag"] = tag
    response.headers["Vary"] = "Accept-Encoding"
    // Revalidated each time, usually by a 304.
    response.headers["Cache-Control"] = "no-cache"
    if !gzip.isEmpty, response.status == 200 { response.headers["Content-Encoding"] = "gzip" }
    return response
  }

  private func compressedBytes() -> [UInt8] {
    compressed.withLock { compressed in
      if let compressed { return compressed }
      let gzip = Asset.gzip(bytes)
      let worthwhile = gzip.count < bytes.count ? gzip : []
      compressed = worthwhile
      return worthwhile
    }
  }

  /// Compresses in the format of RFC 1952; empty if zlib fails.
  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = unsafe z_stream()
    // The window's bits, plus 16 for the gzip format.
    let code = unsafe deflateInit2_(
      &stream,
      Z_BEST_COMPRESSION,
      Z_DEFLATED,
      15 + 16,
      9,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    guard code == Z_OK else { return [] }
    defer { _ = unsafe deflateEnd(&stream) }
    let bound = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
    var input = bytes
    return unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        unsafe (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        unsafe (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        count = unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
      }
    }
  }
}
