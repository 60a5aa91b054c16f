public import SondeSystem

/// The reason why a local database is unusable.
public struct DatabaseError: Error, Equatable, CustomStringConvertible {
  /// The problem with the file.
  public enum Reason: Equatable, Sendable {
    /// It cannot be opened or read, or is a directory, by the number of errno(3).
    case unreadable(errno: Int32)
    /// It is a device, a pipe or a socket.
    case notAFile
    /// It is empty.
    case empty
    /// It is a directory without a database.
    case noDatabases
    /// Its format is neither libloc's nor MMDB.
    case unrecognised
    /// It looks like a database but is invalid, with the reason.
    case damaged(String)
    /// Its networks cannot be listed, with the reason.
    case unlisted(String)
    /// The library for its format cannot be loaded.
    case unsupported(LibraryError)
  }

  /// The file.
  public let path: String

  /// The problem.
  public let reason: Reason

  /// The path and the reason, in plain words.
  public var description: String { "\(path): \(detail)" }

  /// The reason alone, in plain words.
  public var detail: String {
    switch reason {
    case .unreadable(let code): "\(SystemError(code))"
    case .notAFile: "not a regular file"
    case .empty: "the file is empty"
    case .noDatabases: "there is no libloc or MMDB database in it"
    case .unrecognised: "neither a libloc nor an MMDB database"
    case .unsupported(let error): "\(error)"
    case .unlisted(let detail): "its networks cannot be listed: \(detail)"
    case .damaged(let detail): "not a sound database: \(detail)"
    }
  }
}
