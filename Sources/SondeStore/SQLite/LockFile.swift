import Glibc
import SondeSQLite
import SondeSystem

/// A file next to a database whose bytes are locked but never written; its last user removes it.
///
/// SQLite's own locks are unsuitable: they are in the file that is created, moved and replaced
/// here. The locks belong to the open file (`F_OFD_SETLK`, fcntl(2)) and end with the process in
/// any case, so no process ID has to be checked.
final class LockFile: Sendable {
  /// The byte that is locked while files are created or moved; above all identities.
  private static let changes = 1 << 62

  /// The byte that all users of the file lock shared, so that no one removes it.
  private static let users = changes + 1

  private let file: Descriptor
  private let path: String

  /// Opens or creates the file.
  ///
  /// - Throws: ``SQLiteError``, of the kind `busy` if others create and remove it for too long.
  init(path: String, _ wait: LockWait) throws(SQLiteError) {
    self.path = path
    while true {
      let file: Descriptor
      do throws(SystemError) {
        file = try Descriptor(opening: path, O_RDWR | O_CREAT, mode: 0o600)
      } catch {
        throw SQLiteError(system: path, code: error.code)
      }
      // Its last user may have removed it between opening and locking; after this, no one can.
      // On a file system without locks it is never removed.
      let isShared = try? FileLock.tryLock(file.number, .byte(Self.users), isShared: true)
      if isShared != false, Self.isFile(file, at: path) {
        self.file = file
        return
      }
      if wait.isOver { throw SQLiteError(.busy, "another process closes it") }
      usleep(1000)
    }
  }

  /// Removes the file unless others use it; afterwards this object must not be used.
  func removeIfUnused() {
    guard (try? FileLock.tryLock(file.number, .byte(Self.users))) == true, isInPlace else { return }
    unsafe unlink(path)
  }

  /// Whether the file is still the one at its path.
  var isInPlace: Bool { Self.isFile(file, at: path) }

  private static func isFile(_ file: Descriptor, at path: String) -> Bool {
    guard let status = FileStatus(path: path) else { return false }
    return status.identity == FileStatus(descriptor: file.number)?.identity
  }

  /// Shows other processes that this one is alive; returns whether it succeeded.
  func hold(_ holder: UInt64) -> Bool {
    (try? FileLock.tryLock(file.number, .byte(Int(holder)))) == true
  }

  /// Whether another open file holds the lock, which means that its process is alive.
  func isHeld(_ holder: UInt64) -> Bool {
    guard holder > 0, holder < UInt64(Self.changes) else { return false }
    return (try? FileLock.isHeld(file.number, .byte(Int(holder)))) == true
  }

  /// Prevents all other processes from creating or moving files during a body.
  ///
  /// - Throws: ``SQLiteError``, of the kind `busy` if others do so for too long.
  func whileAlone<R>(
    _ wait: LockWait,
    _ body: () throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    // On a file system without locks there is no wait.
    while (try? FileLock.tryLock(file.number, .byte(Self.changes))) == false {
      if wait.isOver { throw SQLiteError(.busy, "another process opens it") }
      usleep(1000)
    }
    defer { FileLock.unlock(file.number, .byte(Self.changes)) }
    return try body()
  }
}

extension FileStatus {
  /// Ensures that it is a regular file.
  func checkType(_ path: String) throws(SQLiteError) {
    guard isRegular else { throw SQLiteError(.forbidden, "\(path) is no file") }
  }
}
