import Glibc
import SondeSQLite
import SondeSystem

/// The file beside a database whose bytes are locked, never written; the last to use it removes it.
///
/// SQLite's own locks cannot do this: they lie in the very file that is made, moved and replaced here.
/// The locks belong to the open file (`F_OFD_SETLK`, fcntl(2)) and end with the process however that
/// ends, so that no process number has to be trusted.
final class LockFile: Sendable {
  /// Above all identities: the byte that is locked while files are made or moved.
  private static let changes = 1 << 62

  /// The byte that all users of the file lock together, so that nobody removes it from under them.
  private static let users = changes + 1

  private let file: Descriptor
  private let path: String

  /// Opens the file, or makes it.
  ///
  /// - Throws: ``SQLiteError``, of the kind `busy` where others make and remove it for too long.
  init(path: String, _ wait: LockWait) throws(SQLiteError) {
    self.path = path
    while true {
      let file: Descriptor
      do throws(SystemError) {
        file = try Descriptor(opening: path, O_RDWR | O_CREAT, mode: 0o600)
      } catch {
        throw SQLiteError(system: path, code: error.code)
      }
      // Its last user may have removed it between opening and locking; from here on nobody can. On a
      // file system without locks nobody removes it.
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

  /// Keeps everybody else from making or moving files meanwhile.
  ///
  /// - Throws: ``SQLiteError``, of the kind `busy` where others do so for too long.
  func whileAlone<R>(
    _ wait: LockWait,
    _ body: () throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    // On a file system without locks there is nothing to wait for.
    while (try? FileLock.tryLock(file.number, .byte(Self.changes))) == false {
      if wait.isOver { throw SQLiteError(.busy, "another process opens it") }
      usleep(1000)
    }
    defer { FileLock.unlock(file.number, .byte(Self.changes)) }
    return try body()
  }
}

extension FileStatus {
  /// Makes sure that it is a regular file.
  func checkType(_ path: String) throws(SQLiteError) {
    guard isRegular else { throw SQLiteError(.forbidden, "\(path) is no file") }
  }
}
