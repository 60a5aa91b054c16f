import Glibc
import SondeSQLite
import SondeSystem

/// Opens the database for one process at a time.
enum AccountFile {
  /// Makes the folders that the database lies in, for the owner alone.
  static func makeFolders(of path: String) throws(AccountError) {
    guard let obstacle = makePrivateFolders(folder(of: path)) else { return }
    throw error(obstacle.name, SystemError(obstacle.code))
  }

  /// Keeps every other process from opening it.
  ///
  /// The lock lies on a file beside the database, since closing any descriptor of the database itself
  /// would drop SQLite's own locks (fcntl(2)); it ends with the process.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - wait: How long to wait for one that is about to end.
  /// - Returns: What holds the lock as long as it lives.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  static func lock(_ path: String, _ wait: LockWait) throws(AccountError) -> Descriptor {
    do throws(SystemError) {
      let file = try Descriptor(opening: path + "-lock", O_RDWR | O_CREAT, mode: 0o600)
      repeat {
        if try FileLock.tryLock(file.number) { return file }
        usleep(10_000)
      } while !wait.isOver
    } catch {
      throw Self.error(path + "-lock", error)
    }
    throw .storage(reason: "\(path): another program uses it", isDiskFull: false)
  }

  /// Opens it, or makes it, for the owner alone.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - wait: How long its calls wait for those who read it.
  /// - Returns: The database, with its tables.
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  static func open(_ path: String, _ wait: LockWait) throws(AccountError) -> Database {
    do throws(SystemError) {
      let file = try Descriptor(
        opening: path,
        O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY,
        mode: 0o600
      )
      guard try file.status().isRegular else { throw SystemError(EINVAL) }
    } catch {
      throw Self.error(path, error)
    }
    do throws(SQLiteError) {
      let database = try Database(path: path, .writing, wait: wait)
      try AccountSchema.prepare(database)
      // Before the log is made, which is as open as the database.
      guard unsafe chmod(path, 0o600) == 0 else {
        throw SQLiteError(.forbidden, "\(SystemError())")
      }
      try AccountSchema.configure(database)
      database.keepsLog = false
      return database
    } catch {
      throw AccountError(path, error)
    }
  }

  /// Makes one that is in no file.
  ///
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)``.
  static func openInMemory(_ wait: LockWait) throws(AccountError) -> Database {
    do throws(SQLiteError) {
      let database = try Database(path: ":memory:", .writing, wait: wait)
      try AccountSchema.prepare(database)
      try AccountSchema.configure(database)
      return database
    } catch {
      throw AccountError(":memory:", error)
    }
  }

  private static func error(_ path: String, _ error: SystemError) -> AccountError {
    .storage(reason: "\(path): \(error)", isDiskFull: error.code == ENOSPC)
  }
}
