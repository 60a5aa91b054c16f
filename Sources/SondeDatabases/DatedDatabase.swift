import Glibc
import SondeSystem

/// A database file with its type and its age, recognised by its content.
public struct DatedDatabase: Sendable, Equatable {
  /// The file.
  public let path: String
  /// The `database_type` of an MMDB; `libloc` for libloc's format.
  public let type: String
  /// When it was built, in seconds since 1970 UTC.
  public let date: Int64

  /// The type of databases in libloc's format, of which there is one.
  static let liblocType = "libloc"

  /// Reads the type and the age of a database; fails as ``LocalDatabases/init(paths:tables:)`` does.
  public init(path: String) throws(DatabaseError) {
    let file = try DatabaseFile(path: path)
    switch try file.format() {
    case .libloc: (type, date) = (Self.liblocType, try LibLocDatabase(file).date)
    case .maxMind(let metadata):
      let database = try MaxMindDatabase(file, metadata: metadata)
      (type, date) = (database.type, database.date)
    }
    self.path = path
  }

  init(path: String, type: String, date: Int64) {
    (self.path, self.type, self.date) = (path, type, date)
  }

  /// The database that a path names, or those in a directory, by their types and names; other files
  /// are left out.
  ///
  /// - Throws: ``DatabaseError`` for a directory without any, or a database that is damaged or cannot
  ///   be read.
  public static func all(at path: String) throws(DatabaseError) -> [DatedDatabase] {
    guard FileStatus(path: path)?.isDirectory ?? false else {
      return [try DatedDatabase(path: path)]
    }
    return try all(in: path)
  }

  private static func all(in directory: String) throws(DatabaseError) -> [DatedDatabase] {
    var found: [DatedDatabase] = []
    let folder = directory.hasSuffix("/") ? directory : directory + "/"
    for name in names(in: directory).sorted() {
      do throws(DatabaseError) {
        found.append(try DatedDatabase(path: folder + name))
      } catch {
        switch error.reason {
        case .unrecognised, .empty, .notAFile, .unreadable(errno: EISDIR): continue
        case .unreadable, .damaged, .unlisted, .unsupported, .noDatabases: throw error
        }
      }
    }
    guard !found.isEmpty else { throw DatabaseError(path: directory, reason: .noDatabases) }
    return found.sorted { ($0.type, $0.path) < ($1.type, $1.path) }
  }
}

extension [DatedDatabase] {
  /// Of each type the newest, or the newest that was built at a time or before, in seconds since 1970
  /// UTC; the types in the order of their first databases.
  public func newest(asOf time: Int64? = nil) -> [DatedDatabase] {
    newestNumbers(asOf: time ?? .max).map { self[$0] }
  }

  /// The numbers of the same.
  func newestNumbers(asOf time: Int64) -> [Int] {
    var newest: [Int] = []
    for (number, database) in enumerated() where database.date <= time {
      if let index = newest.firstIndex(where: { self[$0].type == database.type }) {
        // Of two that were built at the same time, the later name.
        if database.date >= self[newest[index]].date { newest[index] = number }
      } else {
        newest.append(number)
      }
    }
    return newest
  }
}
