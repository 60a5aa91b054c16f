import CSondeSQLite
import Glibc

/// Why something could not be done with a database.
public struct SQLiteError: Error, Equatable, Sendable {
  /// What to do about an error.
  public enum Kind: Sendable {
    /// The file is not what it was written as.
    case damaged
    /// The file is not ours.
    case foreign
    /// Another process holds it; it can be tried later.
    case busy
    /// There is no room on the disk.
    case full
    /// It, or its folder, may not be written or not even read.
    case forbidden
    /// Another file lies at its path now.
    case replaced
    /// A later version of the program made it.
    case newer
    /// An earlier version of the program made it.
    case outdated
    /// A value is longer than is allowed.
    case tooLong
    /// It took more steps than are allowed.
    case tooManySteps
    /// The disk fails, or memory is short.
    case failing
  }

  /// What to do about it.
  public let kind: Kind

  /// For a person.
  public let message: String

  /// Takes a reason of Sonde's own.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Takes what SQLite says.
  ///
  /// - Parameters:
  ///   - code: The extended result code (https://www.sqlite.org/rescode.html).
  ///   - message: What SQLite says of it.
  public init(code: Int32, message: String) { self.init(Self.kind(of: code), message) }

  /// Takes what went wrong last on a connection.
  init(_ code: Int32, of connection: OpaquePointer) {
    let message = unsafe String(cString: sqlite3_errmsg(connection))
    // Only for these there is an error of the system (https://www.sqlite.org/c3ref/system_errno.html).
    let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff)
    let isFull = [ENOSPC, EDQUOT].contains(unsafe sqlite3_system_errno(connection))
    self.init(isOfSystem && isFull ? .full : Self.kind(of: code), message)
  }

  private static func kind(of code: Int32) -> Kind {
    switch code {
    case SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 33 << 8: return .damaged  // SHORT_READ, CORRUPTFS
    case SQLITE_READONLY | 4 << 8: return .replaced  // DBMOVED
    default: break
    }
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
      return .damaged
    case SQLITE_TOOBIG: return .tooLong
    case SQLITE_INTERRUPT: return .tooManySteps
    // Of our own statements only a changed schema makes errors.
    case SQLITE_ERROR, SQLITE_EMPTY: return .damaged
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_SCHEMA: return .busy
    case SQLITE_FULL: return .full
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH: return .forbidden
    default: return .failing
    }
  }
}
