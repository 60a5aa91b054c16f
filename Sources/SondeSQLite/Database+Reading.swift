import Glibc

extension Database {
  /// Opens a database that others change, to read it, and reads its schema; `prepare` sets limits
  /// before.
  ///
  /// A change in whose midst a program was ended is undone first, as by any program that may write
  /// (https://www.sqlite.org/lockingv3.html#hot_journals). A connection for reading alone may not.
  ///
  /// - Throws: ``SQLiteError``; of the kind `unfinished` if the change cannot be undone by this user.
  public static func forReading(
    _ path: String,
    wait: LockWait,
    prepare: (Database) -> Void
  ) throws(SQLiteError) -> Database {
    do throws(SQLiteError) {
      return try open(path, .reading, wait, prepare)
    } catch {
      guard error.kind == .unfinished, !Self.namesOtherFile(path + "-journal") else { throw error }
      let unfinished = error
      do throws(SQLiteError) {
        return try open(path, .writing, wait, prepare)
      } catch {
        // The folder or the journal may be one that cannot be changed.
        throw [.forbidden, .failing].contains(error.kind) ? unfinished : error
      }
    }
  }

  /// Whether a journal ends with the name of another file, which SQLite deletes as the journal of
  /// several databases (https://www.sqlite.org/fileformat2.html#the_rollback_journal).
  ///
  /// Nothing of Sonde's is written so, and a file from others could name any file of the user.
  private static func namesOtherFile(_ journal: String) -> Bool {
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let file = unsafe Glibc.open(journal, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var end = [UInt8](repeating: 0, count: magic.count)
    let position = lseek(file, -off_t(magic.count), SEEK_END)
    guard position >= 0 else { return false }
    return unsafe pread(file, &end, end.count, position) != end.count || end == magic
  }

  private static func open(
    _ path: String,
    _ access: Access,
    _ wait: LockWait,
    _ prepare: (Database) -> Void
  ) throws(SQLiteError) -> Database {
    let database = try Database(path: path, access, wait: wait)
    database.keepsLog = false
    prepare(database)
    _ = try database.number("SELECT 1 FROM sqlite_schema")
    return database
  }
}
