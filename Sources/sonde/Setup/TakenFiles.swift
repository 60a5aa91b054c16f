import Glibc
import Store
import System

/// Files that are spoken for, by what they are and, as long as they are missing, by their names.
struct TakenFiles {
  private var identities: [FileIdentity: String] = [:]
  private var names: [String: String] = [:]

  /// What a file is to be already.
  subscript(identity: FileIdentity) -> String? { identities[identity] }

  /// What the file at a path is to be already.
  subscript(path: String) -> String? {
    FileStatus(path: path)?.fileIdentity.flatMap { identities[$0] } ?? names[Self.name(of: path)]
  }

  /// Takes a file; what was taken first stays so.
  mutating func take(_ identity: FileIdentity, as what: String) {
    identities[identity] = identities[identity] ?? what
  }

  /// Takes the file at a path, also one that is yet to be made.
  mutating func take(_ path: String, as what: String) {
    if let identity = FileStatus(path: path)?.fileIdentity { take(identity, as: what) }
    let name = Self.name(of: path)
    names[name] = names[name] ?? what
  }

  /// One name for each file; a device may be meant twice, but not by the same name.
  private static func name(of path: String) -> String {
    let isDevice = unsafe access(path, F_OK) == 0 && FileStatus(path: path)?.isRegular != true
    return isDevice ? path : resolvedPath(path)
  }
}
