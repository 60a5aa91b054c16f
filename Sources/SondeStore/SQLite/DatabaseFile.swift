import Glibc
import SondeSQLite
import SondeSystem

/// A database's file, and the files that belong to it.
struct DatabaseFile {
  /// What is in it.
  let schema: Schema

  /// Where it lies, symbolic links followed.
  let path: String

  /// `nil` where nothing may be written.
  let lock: LockFile?

  /// Whether a file that is no database is moved aside although nothing shows that it is ours.
  private let mayReplace: Bool

  /// An open database, and its file.
  struct Opened {
    let database: Database
    let identity: FileIdentity
    /// Whether it may be changed.
    let isWritable: Bool
    /// Whether it replaced a database of an earlier version.
    var hasReplaced = false
  }

  /// Finds out where the file is, and makes the folders it is in.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - schema: What is in it.
  ///   - mayReplace: Whether nobody else keeps anything at this path.
  ///   - wait: How long to wait for others who close it.
  /// - Throws: ``SQLiteError``, before anything is put beside a file that is not ours.
  init(path: String, schema: Schema, mayReplace: Bool, _ wait: LockWait) throws(SQLiteError) {
    self.schema = schema
    self.mayReplace = mayReplace
    if let failure = makePrivateFolders(folder(of: path)) {
      throw SQLiteError(system: failure.name, code: failure.code)
    }
    self.path = resolvedPath(path)
    // Where there is a lock, the file was ours when it was made, and may be in use.
    if !mayReplace, unsafe access(self.path + "-lock", F_OK) != 0 {
      try Self.checkBeginning(self.path, schema)
    }
    do {
      lock = try LockFile(path: self.path + "-lock", wait)
    } catch {
      guard error.kind == .forbidden, unsafe access(self.path, R_OK) == 0 else { throw error }
      lock = nil
    }
  }

  /// Opens the database, or makes it; one of an earlier version is replaced, since all of its answers
  /// can be asked for again.
  func open(_ wait: LockWait) throws(SQLiteError) -> Opened {
    let mayWrite = unsafe access(path, W_OK) == 0 || errno == ENOENT
    guard let lock, mayWrite else { return try openForReading(wait) }
    return try lock.whileAlone(wait) { () throws(SQLiteError) in
      do throws(SQLiteError) {
        return try openForWriting(wait)
      } catch {
        guard error.kind == .outdated else { throw error }
        for suffix in [""] + Self.companions { unsafe unlink(path + suffix) }
        var opened = try openForWriting(wait)
        opened.hasReplaced = true
        return opened
      }
    }
  }

  /// Renames a file that cannot be used, unless somebody else has done so.
  ///
  /// - Parameters:
  ///   - identity: The file that was found damaged.
  ///   - wasOurs: Whether it is known to have been ours; else it is moved only if its content shows it.
  ///   - wait: How long to wait for others who move files.
  /// - Returns: Where it is now; `nil` when it is not there any more.
  /// - Throws: ``SQLiteError``.
  func moveAside(
    _ identity: FileIdentity,
    wasOurs: Bool,
    _ wait: LockWait
  ) throws(SQLiteError) -> String? {
    guard let lock else { throw SQLiteError(.forbidden, "\(path) cannot be moved") }
    return try lock.whileAlone(wait) { () throws(SQLiteError) in
      guard FileStatus(path: path)?.identity == identity else { return nil }
      if !mayReplace, !wasOurs { try Self.checkBeginning(path, schema) }
      let target = unusedName()
      guard unsafe rename(path, target) == 0 else { throw SQLiteError(system: path) }
      for suffix in Self.companions { unsafe rename(path + suffix, target + suffix) }
      return target
    }
  }

  /// The bytes that the file and its companions take.
  var size: Int {
    ([""] + Self.companions).reduce(0) { $0 + (FileStatus(path: path + $1)?.size ?? 0) }
  }

  /// The file, and every file that may be put beside it.
  static func names(at path: String) -> [String] {
    ([""] + companions + ["-lock"]).map { path + $0 }
  }

  /// What SQLite puts beside a database (https://www.sqlite.org/tempfiles.html).
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Makes sure that a file is missing, empty or ours, also if it is damaged.
  private static func checkBeginning(_ path: String, _ schema: Schema) throws(SQLiteError) {
    guard let status = FileStatus(path: path) else { return }
    try status.checkType(path)
    // A file that cannot be read cannot be opened either, and the error of that says more.
    guard let file = FileBeginning(path: path), !file.isEmpty, !file.isOurs(schema) else { return }
    throw SQLiteError(
      .foreign,
      file.isDatabase ? "it is a database of another program" : "it is no cache, and left alone"
    )
  }

  private func openForWriting(_ wait: LockWait) throws(SQLiteError) -> Opened {
    if FileStatus(path: path) == nil { try make() }
    guard let status = FileStatus(path: path) else { throw SQLiteError(system: path) }
    try status.checkType(path)
    let database = try Database(path: path, .writing, wait: wait)
    try schema.prepare(database)
    if status.mode & 0o077 != 0, status.owner == geteuid() {
      for suffix in [""] + Self.companions { unsafe chmod(path + suffix, 0o600) }
    }
    return Opened(database: database, identity: status.identity, isWritable: true)
  }

  private func openForReading(_ wait: LockWait) throws(SQLiteError) -> Opened {
    guard let status = FileStatus(path: path) else { throw SQLiteError(system: path) }
    do {
      let database = try Database(path: path, .reading, wait: wait)
      try schema.check(database)
      return Opened(database: database, identity: status.identity, isWritable: false)
    } catch {
      // Without the right to write beside it, SQLite cannot even read a database with a log.
      guard error.kind == .forbidden else { throw error }
      let database = try Database(path: path, .immutable, wait: wait)
      try schema.check(database)
      return Opened(database: database, identity: status.identity, isWritable: false)
    }
  }

  /// Makes an empty file; a log that was left by another one must not be applied to it.
  private func make() throws(SQLiteError) {
    for suffix in Self.companions { unsafe unlink(path + suffix) }
    // Closing a file drops the process's locks on it, so this is never done to one that is in use.
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SQLiteError(system: path) }
    close(descriptor)
  }

  private func unusedName() -> String {
    var now = time_t(Moment.now.seconds)
    var date = unsafe tm()
    unsafe gmtime_r(&now, &date)
    var text = [CChar](repeating: 0, count: 32)
    unsafe strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &date)
    let stamp = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let name = path + ".damaged-" + String(decoding: stamp, as: UTF8.self)
    var (candidate, number) = (name, 1)
    while unsafe access(candidate, F_OK) == 0 {
      number += 1
      candidate = "\(name)-\(number)"
    }
    return candidate
  }
}
