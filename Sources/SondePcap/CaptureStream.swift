import CSondePcap
import Glibc
import SondeSystem

/// Passes the bytes of a capture to libpcap, which pulls them.
@safe
final class CaptureStream {
  /// Copies the next bytes into a buffer; returns 0 at the end, and a negative number with `errno`
  /// on an error.
  typealias Source = (UnsafeMutableRawBufferPointer) -> Int

  /// The size of a read: large enough for few calls, small enough for the cache.
  private static let bufferSize = 256 << 10

  private let source: Source
  private var interfaces = RawInterfaces()

  init(_ source: @escaping Source) { unsafe self.source = source }

  /// Opens the stream, which must outlive the result; fails if memory is short.
  func open() throws(CaptureError) -> UnsafeMutablePointer<FILE> {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let stream = unsafe sonde_stream(context) { context, bytes, count in
      guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
      let stream = unsafe Unmanaged<CaptureStream>.fromOpaque(context).takeUnretainedValue()
      return unsafe stream.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count))
    }
    guard let stream = unsafe stream else { throw CaptureError("\(SystemError())") }
    unsafe setvbuf(stream, nil, _IOFBF, Self.bufferSize)
    return unsafe stream
  }

  private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe source(room)
    if count > 0 {
      unsafe interfaces.rewrite(UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
    }
    return count
  }
}
