import CPcap
import Glibc
import System

/// The packets of a capture that lies in a regular file, read in order; one thread at a time uses it.
public final class CaptureFile {
  /// What is read at a time: much enough to cost few calls, little enough to stay in the cache.
  private static let bufferSize = 256 << 10

  private let handle: CaptureHandle
  private var hasEnded = false

  /// Opens a capture.
  ///
  /// - Parameter descriptor: The file, where it is to be read from; it stays open.
  /// - Throws: ``CaptureError`` when libpcap does not know what it holds.
  public init(descriptor: Int32) throws(CaptureError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw CaptureError("\(SystemError())") }
    guard let stream = unsafe fdopen(copy, "r") else {
      let error = SystemError()
      close(copy)
      throw CaptureError("\(error)")
    }
    unsafe setvbuf(stream, nil, _IOFBF, Self.bufferSize)
    unsafe handle = try CaptureHandle(stream)
  }

  /// Reads the next packets that have an address.
  ///
  /// - Parameters:
  ///   - packets: Where they are appended, also those before an error.
  ///   - limit: The most packets of the capture to read.
  /// - Returns: Whether there may be more.
  /// - Throws: ``CaptureError`` when libpcap reads no further.
  public func read(
    into packets: inout [CapturedPacket],
    limit: Int
  ) throws(CaptureError) -> Bool {
    guard !hasEnded else { return false }
    for _ in 0..<limit {
      do throws(CaptureError) {
        switch try handle.next() {
        case .packet(let packet): packets.append(packet)
        case .nothing: continue
        case .end:
          hasEnded = true
          return false
        }
      } catch {
        hasEnded = true
        throw error
      }
    }
    return true
  }
}
