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
      throw StoreError(system: path, code: error.code)
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
  /// - Throws: ``StoreError``, of the kind `busy` where others are at it for too long.
  func whileAlone<R>(
    _ wait: LockWait,
    _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    // On a file system without locks there is nothing to wait for.
    while (try? FileLock.tryLock(file.number, .byte(Self.changes))) == false {
      if wait.isOver { throw StoreError(.busy, "another process opens it") }
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
