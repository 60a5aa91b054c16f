import Glibc
import SondeSQLite
import SondeSystem

/// Opens the database for a single process.
enum AccountFile {
  /// Creates the directories of the database, accessible to the owner only.
  static func makeFolders(of path: String) throws(AccountError) {
    guard let obstacle = makePrivateFolders(folder(of: path)) else { return }
    throw error(obstacle.name, SystemError(obstacle.code))
  }

  /// Locks the database against other processes.
  ///
  /// The lock is on a separate file, since closing any descriptor of the database itself would drop
  /// SQLite's own locks (fcntl(2)); it ends with the process.
  ///
  /// It waits for a process that is about to end.
  /// - Returns: An object that holds the lock until it is released.
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

  /// Opens or creates the database with its tables, accessible to the owner only.
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
      // Before the log is created, which gets the same permissions as the database.
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
