import Glibc
import SondeSystem

/// The packets of a capture in a regular file, read in order, by one thread at a time.
public final class CaptureFile {
  private let handle: CaptureHandle
  private var hasEnded = false

  /// Opens a capture.
  ///
  /// - Parameter descriptor: The file, positioned at the capture's start; it stays open.
  /// - Throws: ``CaptureError`` if libpcap does not recognise its format.
  public init(descriptor: Int32) throws(CaptureError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw CaptureError("\(SystemError())") }
    let file = Descriptor(owning: copy)
    let stream = unsafe CaptureStream { unsafe Self.read(file, into: $0) }
    handle = try CaptureHandle(stream)
  }

  private static func read(_ file: Descriptor, into room: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe Glibc.read(file.number, room.baseAddress, room.count)
      guard count < 0, errno == EINTR else { return count }
    }
  }

  /// Reads the next packets that have an address.
  ///
  /// - Parameters:
  ///   - packets: Receives the packets, including those before an error.
  ///   - limit: The largest number of packets to read.
  /// - Returns: Whether there may be more packets.
  /// - Throws: ``CaptureError`` if libpcap cannot read on.
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
