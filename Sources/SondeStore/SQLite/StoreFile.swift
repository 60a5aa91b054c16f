import Glibc
import SondeSQLite
import SondeSystem

/// The file of a database, with its companion files.
struct StoreFile {
  let schema: Schema

  /// The path, with symbolic links resolved.
  let path: String

  /// `nil` if writing is not possible.
  let lock: LockFile?

  /// Whether a file that is not a database is moved aside even if it is not recognised as ours.
  private let mayReplace: Bool

  /// An open database and its file.
  struct Opened {
    let database: Database
    let identity: FileIdentity
    let isWritable: Bool
    /// Whether it replaced a database of an earlier version.
    var hasReplaced = false
  }

  /// Resolves the path and creates its directories, waiting for processes that are closing the
  /// file; fails before anything is created next to a file that is not ours.
  init(path: String, schema: Schema, mayReplace: Bool, _ wait: LockWait) throws(SQLiteError) {
    (self.schema, self.mayReplace) = (schema, mayReplace)
    if let failure = makePrivateFolders(folder(of: path)) {
      throw SQLiteError(system: failure.name, code: failure.code)
    }
    self.path = resolvedPath(path)
    // If there is a lock, the file was checked when that was created, and may be in use.
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

  /// Opens or creates the database; one of an earlier version is replaced, since all of its answers
  /// can be requested again.
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

  /// Renames an unusable file and returns its new path, or `nil` if it is no longer there; unless
  /// it `wasOurs`, its content must show that it is.
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

  /// The size of the file and its companions in bytes.
  var size: Int {
    ([""] + Self.companions).reduce(0) { $0 + (FileStatus(path: path + $1)?.size ?? 0) }
  }

  /// The file, and all files that may be created next to it.
  static func names(at path: String) -> [String] {
    ([""] + companions + ["-lock"]).map { path + $0 }
  }

  /// The files that SQLite creates next to a database (https://www.sqlite.org/tempfiles.html).
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Ensures that a file is missing, empty or ours, even if damaged.
  private static func checkBeginning(_ path: String, _ schema: Schema) throws(SQLiteError) {
    guard let status = FileStatus(path: path) else { return }
    try status.checkType(path)
    // An unreadable file cannot be opened either, and that error is more informative.
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
      // Without write permission for the directory, SQLite cannot even read a database with a
      // log.
      guard error.kind == .forbidden else { throw error }
      let database = try Database(path: path, .immutable, wait: wait)
      try schema.check(database)
      return Opened(database: database, identity: status.identity, isWritable: false)
    }
  }

  /// Creates an empty file; the log of an earlier file must not be applied to it.
  private func make() throws(SQLiteError) {
    for suffix in Self.companions { unsafe unlink(path + suffix) }
    // Closing a file drops the process's locks on it, so this must never be done to one in use.
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SQLiteError(system: path) }
    close(descriptor)
  }

  private func unusedName() -> String {
    var now = time_t(AnswerMoment.now.seconds)
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
