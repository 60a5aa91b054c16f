import Glibc
import Scanner
import System

/// Files that are spoken for, by what they are and by their names, also those that are yet to be made.
struct TakenFiles {
  /// What a file is used for.
  enum Use { case reading, writing }

  /// What one of them is already, where two uses do not agree.
  struct ConflictError: Error { let what: String }

  private struct Taken {
    let what: String
    let use: Use
  }

  private var identities: [FileIdentity: [Taken]] = [:]
  private var names: [String: [Taken]] = [:]

  /// Takes the file at a path; any number may read it, but one that writes has it alone.
  mutating func take(_ path: String, as what: String, for use: Use) throws(ConflictError) {
    let status = FileStatus(path: path)
    let name = Self.name(of: path, status)
    let identity = status.flatMap(Self.identity)
    let others = (names[name] ?? []) + (identity.flatMap { identities[$0] } ?? [])
    try Self.check(others, use)
    names[name, default: []].append(Taken(what: what, use: use))
    if let identity { identities[identity, default: []].append(Taken(what: what, use: use)) }
  }

  /// Takes the file behind a descriptor; a terminal or another device is nobody's alone.
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

  /// What a file is where it has one content: a file or a pipe.
  private static func identity(_ status: FileStatus) -> FileIdentity? {
    status.isRegular || status.isPipe ? status.identity : nil
  }

  /// One name for each file; a device may be meant twice, but not by the same name.
  private static func name(of path: String, _ status: FileStatus?) -> String {
    status.map { identity($0) == nil } ?? false ? path : resolvedPath(path)
  }
}
