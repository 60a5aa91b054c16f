import CSondeSQLite
import Glibc

/// The reason why an operation on a database failed.
public struct SQLiteError: Error, Equatable, Sendable {
  /// The kind of an error, which determines its handling.
  public enum Kind: Sendable {
    /// The file is damaged.
    case damaged
    /// The file is not ours.
    case foreign
    /// Another process holds a lock; a retry may succeed.
    case busy
    /// The disk is full.
    case full
    /// Permission is denied, for the file or its directory.
    case forbidden
    /// A program was ended while it changed the file, and only one who may write can undo that.
    case unfinished
    /// Another file is at its path now.
    case replaced
    /// It was created by a later version.
    case newer
    /// It was created by an earlier version.
    case outdated
    /// A value is too long.
    case tooLong
    /// The limit of steps was exceeded.
    case tooManySteps
    /// The disk fails, or memory is short.
    case failing
  }

  /// The kind of the error.
  public let kind: Kind

  /// The message, in plain words.
  public let message: String

  /// Creates an error detected by Sonde.
  public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

  /// Creates an error from SQLite's extended result code (https://www.sqlite.org/rescode.html).
  public init(code: Int32, message: String) {
    let kind = Self.kind(of: code)
    self.init(kind, kind == .unfinished ? Self.unfinishedChange : message)
  }

  private static let unfinishedChange =
    "a program was ended while it changed it; only someone who may write to it can undo that"

  /// Creates the last error of a connection.
  init(_ code: Int32, of connection: OpaquePointer) {
    let message = unsafe String(cString: sqlite3_errmsg(connection))
    // Only these have a system error (https://www.sqlite.org/c3ref/system_errno.html).
    let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff)
    let isFull = [ENOSPC, EDQUOT].contains(unsafe sqlite3_system_errno(connection))
    if isOfSystem, isFull {
      self.init(.full, message)
    } else {
      self.init(code: code, message: message)
    }
  }

  private static func kind(of code: Int32) -> Kind {
    switch code {
    case SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 33 << 8: return .damaged  // SHORT_READ, CORRUPTFS
    case SQLITE_READONLY | 3 << 8: return .unfinished  // ROLLBACK
    case SQLITE_READONLY | 4 << 8: return .replaced  // DBMOVED
    default: break
    }
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
      return .damaged
    case SQLITE_TOOBIG: return .tooLong
    case SQLITE_INTERRUPT: return .tooManySteps
    // Our own statements only fail like this if the schema was changed.
    case SQLITE_ERROR, SQLITE_EMPTY: return .damaged
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_SCHEMA: return .busy
    case SQLITE_FULL: return .full
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH: return .forbidden
    default: return .failing
    }
  }
}
