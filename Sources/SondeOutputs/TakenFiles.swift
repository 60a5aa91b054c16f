import Glibc
import SondeSystem

/// Files in use, by identity and by name, so that files not yet created count, too.
package struct TakenFiles {
  package enum Use { case reading, writing }

  /// Two conflicting uses of one file.
  package struct ConflictError: Error {
    /// The earlier use: `an input`.
    package let what: String
  }

  private struct Taken {
    let what: String
    let use: Use
    /// `nil` for a descriptor, which keeps its file.
    var path: String?

    /// Whether it still has an identity: another process may have removed the file, and a new one
    /// may have its inode by now.
    func isStill(_ identity: FileIdentity) -> Bool {
      path.map { FileStatus(path: $0)?.identity == identity } ?? true
    }
  }

  private var identities: [FileIdentity: [Taken]] = [:]
  private var names: [String: [Taken]] = [:]

  /// Creates an empty set.
  package init() {}

  /// Records the use of a path: a file may have many readers, or one writer.
  package mutating func take(_ path: String, as what: String, for use: Use) throws(ConflictError) {
    let status = FileStatus(path: path)
    let name = Self.name(of: path, status)
    let identity = status.flatMap(Self.identity)
    let links = identity.map { same in identities[same, default: []].filter { $0.isStill(same) } }
    try Self.check((names[name] ?? []) + (links ?? []), use)
    let taken = Taken(what: what, use: use, path: path)
    names[name, default: []].append(taken)
    if let identity { identities[identity, default: []].append(taken) }
  }

  /// Records the use of a descriptor; a terminal or other device may be used twice.
  package mutating func take(
    descriptor: Int32,
    as what: String,
    for use: Use
  ) throws(ConflictError) {
    guard let identity = FileStatus(descriptor: descriptor).flatMap(Self.identity) else { return }
    try Self.check(identities[identity, default: []].filter { $0.isStill(identity) }, use)
    identities[identity, default: []].append(Taken(what: what, use: use))
  }

  private static func check(_ others: [Taken], _ use: Use) throws(ConflictError) {
    guard let other = others.first(where: { $0.use == .writing || use == .writing }) else { return }
    throw ConflictError(what: other.what)
  }

  /// The identity of a regular file or pipe, which must not be used twice.
  private static func identity(_ status: FileStatus) -> FileIdentity? {
    status.isRegular || status.isPipe ? status.identity : nil
  }

  /// One name for each file; a device may be used twice, but not under the same name.
  private static func name(of path: String, _ status: FileStatus?) -> String {
    status.map { identity($0) == nil } ?? false ? path : resolvedPath(path)
  }
}
