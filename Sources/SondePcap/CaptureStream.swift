import CSondePcap
import Glibc
import SondeSystem

/// The bytes of a capture on their way to libpcap, which asks for them when it wants them.
@safe
final class CaptureStream {
  /// Copies the next bytes into some room; 0 at the end, less on an error, whose number is `errno`.
  typealias Source = (UnsafeMutableRawBufferPointer) -> Int

  /// What is asked for at a time: much enough to cost few calls, little enough to stay in the cache.
  private static let bufferSize = 256 << 10

  private let source: Source
  private var interfaces = RawInterfaces()

  /// Makes a stream of what a source gives.
  init(_ source: @escaping Source) { unsafe self.source = source }

  /// Opens the stream, which must outlive what it gives.
  ///
  /// - Throws: ``CaptureError`` when there is no memory.
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
