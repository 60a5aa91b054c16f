import Glibc
import SondeSystem

/// An open file or pipe, read with `poll` and `read` so that waits can be interrupted.
final class InputDescriptor: ByteSource {
  /// The input's name, for messages.
  let name: String

  /// The size of a regular file in bytes.
  var size: UInt64? { file.size }

  /// The number and checksum of the bytes read so far.
  private(set) var taken = SlicedChecksum()

  private let file: OpenFile

  init(_ file: OpenFile, name: String) { (self.file, self.name) = (file, name) }

  /// The content of a regular file on disk, before it is read.
  var content: Content? { taken.count == 0 ? file.content : nil }

  /// Whether it is an uncompressed regular text file.
  var isPlainFile: Bool { content == .text }

  func read(into buffer: inout [UInt8], atMost count: Int, _ wait: ByteWait) -> Fill {
    // Regular files are always ready, so `poll` would only take time.
    if size == nil {
      switch wait.interrupt.wait(for: .reading, of: file.descriptor, until: wait.deadline) {
      case .ready: break
      case .timedOut: return .silence
      case .rung: return .interrupted
      }
    }
    let start = buffer.count
    var result = 0
    buffer.append(addingCapacity: count) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, filled in
        unsafe result = Glibc.read(file.descriptor, room.baseAddress, count)
        filled = max(0, result)
      }
    }
    let code = errno
    if result > 0 {
      taken.update(buffer.span.extracting(start...))
      return .more
    }
    if result == 0 { return isCutShort ? .failure(.becameShorter(name)) : .end }
    if code == EINTR || code == EAGAIN { return .more }
    return .failure(InputError(name: name, SystemError(code)))
  }
}

extension InputDescriptor {
  /// Whether the file was truncated, so that it may end anywhere.
  private var isCutShort: Bool {
    guard let size, UInt64(file.start) + taken.count < size else { return false }
    return file.hasBecomeShorter(than: Int(clamping: size))
  }
}
