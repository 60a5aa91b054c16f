import Glibc
import SondeSystem

/// The packets of a capture in a regular file, read in order, by one thread at a time.
public final class CaptureFile {
  private let handle: CaptureHandle
  private var hasEnded = false

  /// Opens a capture in a file that is positioned at its start, and stays open; fails if libpcap
  /// does not recognise its format.
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

  /// Appends the next packets that have an address, also those before an error; returns whether
  /// there may be more.
  public func read(into packets: inout [CapturedPacket], limit: Int) throws(CaptureError) -> Bool {
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
