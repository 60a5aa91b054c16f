import CSQLite
import Glibc

/// Why the store did not do something.
struct StoreError: Error, Equatable {
  /// What to do about an error.
  enum Kind {
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
    /// The disk fails, or memory is short.
    case failing
  }

  let kind: Kind

  /// For a person.
  let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// - Parameters:
  ///   - code: The extended result code (https://www.sqlite.org/rescode.html).
  ///   - message: What SQLite says of it.
  init(code: Int32, message: String) { self.init(Self.kind(of: code), message) }

  /// What a call of the system failed with, by `errno`.
  init(system name: String, code: Int32 = errno) {
    let message = unsafe String(cString: strerror(code))
    let kind: Kind =
      switch code {
      case ENOSPC, EDQUOT: .full
      case EIO, ENOMEM, EMFILE, ENFILE: .failing
      default: .forbidden
      }
    self.init(kind, "\(name): \(message)")
  }

  private static func kind(of code: Int32) -> Kind {
    switch code {
    case SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 33 << 8: return .damaged  // SHORT_READ, CORRUPTFS
    case SQLITE_READONLY | 4 << 8: return .replaced  // DBMOVED
    default: break
    }
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT,
      SQLITE_TOOBIG:
      return .damaged
    // Of our own statements only a changed schema makes errors.
    case SQLITE_ERROR, SQLITE_EMPTY: return .damaged
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_SCHEMA: return .busy
    case SQLITE_FULL: return .full
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH: return .forbidden
    default: return .failing
    }
  }
}
