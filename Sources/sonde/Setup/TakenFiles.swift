import Glibc
import SondeSystem

/// Files in use, by identity and by name, so that files that are yet to be made count as well.
struct TakenFiles {
  /// What a file is used for.
  enum Use { case reading, writing }

  /// Two uses of one file do not agree.
  struct ConflictError: Error {
    /// What the file is already: `an input`.
    let what: String
  }

  private struct Taken {
    let what: String
    let use: Use
  }

  private var identities: [FileIdentity: [Taken]] = [:]
  private var names: [String: [Taken]] = [:]

  /// Notes the use of the file at a path: it may have many readers, or one writer.
  mutating func take(_ path: String, as what: String, for use: Use) throws(ConflictError) {
    let status = FileStatus(path: path)
    let name = Self.name(of: path, status)
    let identity = status.flatMap(Self.identity)
    let others = (names[name] ?? []) + (identity.flatMap { identities[$0] } ?? [])
    try Self.check(others, use)
    names[name, default: []].append(Taken(what: what, use: use))
    if let identity { identities[identity, default: []].append(Taken(what: what, use: use)) }
  }

  /// Notes the use of the file behind a descriptor; a terminal or another device may be used twice.
  mutating func take(
    descriptor: Int32,
    as what: String,
    for use: Use
  ) throws(ConflictError) {
    guard let identity = FileStatus(descriptor: descriptor).flatMap(Self.identity) else { return }
    try Self.check(identities[identity] ?? [], use)
    identities[identity, default: []].append(Taken(what: what, use: use))
  }

  private static func check(_ others: [Taken], _ use: Use) throws(ConflictError) {
    guard let other = others.first(where: { $0.use == .writing || use == .writing }) else { return }
    throw ConflictError(what: other.what)
  }

  /// The identity of a file that must not be used twice: a regular file or a pipe.
  private static func identity(_ status: FileStatus) -> FileIdentity? {
    status.isRegular || status.isPipe ? status.identity : nil
  }

  /// One name for each file; a device may be used twice, but not by the same name.
  private static func name(of path: String, _ status: FileStatus?) -> String {
    status.map { identity($0) == nil } ?? false ? path : resolvedPath(path)
  }
}
