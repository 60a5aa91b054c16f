import Glibc
package import SondeRecords
package import SondeSQLite
import SondeSystem

/// The folder in which followed logs are kept, a file each.
package struct LogFolder {
  private let path: String
  private let columns: [Field]
  private let keep: Duration

  /// Names a folder whose logs go when they were not followed for some time.
  package init(_ path: String, columns: [Field], forAtMost keep: Duration) {
    (self.path, self.columns, self.keep) = (path, columns, keep)
  }

  /// Where the logs at some paths are kept, in their order; a new one has an id of `makeID`.
  ///
  /// - Throws: ``SQLiteError``.
  package func places(
    of paths: [String],
    makeID: () -> String
  ) throws(SQLiteError) -> [LogPlaceOnDisk] {
    let ids = try tidy(following: paths)
    guard !paths.isEmpty else { return [] }
    if let obstacle = makePrivateFolders(path) {
      throw SQLiteError(.failing, "\(obstacle.name): \(SystemError(obstacle.code))")
    }
    return zip(paths, Self.names(of: paths)).map { log, name in
      let id = ids[log] ?? makeID()
      return LogPlaceOnDisk(id: id, name: name, path: log, file: "\(path)/\(id).db")
    }
  }

  /// The ids of logs that were followed before, by their paths; those not followed for long go.
  private func tidy(following paths: [String]) throws(SQLiteError) -> [String: String] {
    let end = Timestamp.now.seconds - keep.milliseconds / 1000
    var ids: [String: String] = [:]
    for name in SondeSystem.names(in: path) where name.hasSuffix(".db") {
      let file = "\(path)/\(name)"
      let log = try LogDatabase(file, columns: columns)
      let (followed, written) = (try log.path(), try log.written() ?? 0)
      if let followed, paths.contains(followed) || written >= end {
        ids[followed] = String(name.dropLast(3))
      } else {
        for ending in ["", "-wal", "-shm"] { unsafe unlink(file + ending) }
      }
    }
    return ids
  }

  /// The last parts of paths, with a number where one was there before.
  private static func names(of paths: [String]) -> [String] {
    var counts: [String: Int] = [:]
    return paths.map { path in
      let last = path.split(separator: "/").last.map(String.init) ?? path
      let name = path == FollowedPath.input ? "standard input" : last
      counts[name, default: 0] += 1
      return counts[name] == 1 ? name : "\(name) (\(counts[name] ?? 0))"
    }
  }
}
