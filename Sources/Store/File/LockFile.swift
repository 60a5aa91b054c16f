import Glibc
import System

/// The file beside a database whose bytes are locked, never written.
///
/// The locks belong to the open file (`F_OFD_SETLK`, fcntl(2)) and end with the process however that
/// ends, so that no process number has to be believed.
final class LockFile: Sendable {
  /// Identities are below this; the byte at it is locked while files are made or moved.
  private static let changes = 1 << 62

  private let file: Descriptor
  private let path: String

  /// Opens the file, or makes it.
  init(path: String) throws(StoreError) {
    self.path = path
    do throws(SystemError) {
      file = try Descriptor(opening: path, O_RDWR | O_CREAT, mode: 0o600)
    } catch {
      errno = error.code
      throw StoreError(system: path)
    }
  }

  /// Whether the file is still the one at its path.
  var isInPlace: Bool {
    guard let status = FileStatus(path: path) else { return false }
    return status.identity == FileStatus(descriptor: file.number)?.identity
  }

  /// Shows everybody that this process lives.
  ///
  /// - Returns: Whether that could be done.
  func hold(_ holder: UInt64) -> Bool {
    (try? FileLock.tryLock(file.number, .byte(Int(holder)))) == true
  }

  /// Whether another open file holds a place, that is, whether its process lives.
  func isHeld(_ holder: UInt64) -> Bool {
    guard holder > 0, holder < UInt64(Self.changes) else { return false }
    return (try? FileLock.isHeld(file.number, .byte(Int(holder)))) == true
  }

  /// Lets nobody else make or move files meanwhile.
  ///
  /// Waits some seconds at most: who has held it for that long is stopped, not at work.
  func whileAlone<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    for _ in 0..<5000 {
      // On a file system without locks there is nothing to wait for.
      if (try? FileLock.tryLock(file.number, .byte(Self.changes))) != false { break }
      usleep(1000)
    }
    defer { FileLock.unlock(file.number, .byte(Self.changes)) }
    return try body()
  }
}

extension FileStatus {
  /// Makes sure that it is a regular file.
  func checkType(_ path: String) throws(StoreError) {
    guard isRegular else { throw StoreError(.forbidden, "\(path) is no file") }
  }
}
