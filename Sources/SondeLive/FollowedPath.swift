import SondeRecords
import SondeSystem

/// Why a path cannot be followed.
package struct FollowedPathError: Error, CustomStringConvertible {
  /// The path as it was given.
  let path: String
  let reason: String

  /// For a person.
  package var description: String { "\(escapedForPerson(path)): \(reason)" }
}

/// The paths of logs to follow.
package enum FollowedPath {
  /// The name of standard input.
  package static let input = "-"

  /// The whole paths of logs, which may be missing still; `-` is standard input.
  ///
  /// - Throws: ``FollowedPathError`` for a folder, a device, or the same log twice.
  package static func all(_ paths: [String]) throws(FollowedPathError) -> [String] {
    var (whole, resolved): ([String], Set<String>) = ([], [])
    var identities: [FileIdentity] = []
    for path in paths {
      guard path != input else {
        guard resolved.insert(path).inserted else { throw twice(path) }
        whole.append(path)
        continue
      }
      if let status = FileStatus(path: path) {
        guard status.isRegular else {
          let reason = "only files can be followed, and - for standard input"
          throw FollowedPathError(path: path, reason: reason)
        }
        guard !identities.contains(status.identity) else { throw twice(path) }
        identities.append(status.identity)
      }
      guard resolved.insert(resolvedPath(path)).inserted else { throw twice(path) }
      whole.append(absolute(path))
    }
    return whole
  }

  private static func twice(_ path: String) -> FollowedPathError {
    FollowedPathError(path: path, reason: "it is given twice")
  }

  /// A path from the root, in which only links to folders are resolved.
  private static func absolute(_ path: String) -> String {
    let folder = SondeSystem.folder(of: path)
    let parent = resolvedPath(folder.isEmpty ? "." : folder)
    return (parent == "/" ? "" : parent) + "/" + path.dropFirst(folder.count)
  }
}
