import Glibc
import SondeSystem

/// A new file that replaces another one when it is complete.
///
/// Until then the other one is unchanged in any case. The target of a symbolic link is replaced,
/// not the link.
public final class FileReplacement: Sendable {
  /// The sink of the new file.
  public let sink: Sink

  /// A version of a file, to detect changes.
  private struct Version: Equatable {
    let identity: FileIdentity
    let size: Int
    let modified: Duration

    init(_ status: FileStatus) {
      (identity, size, modified) = (status.identity, status.size, status.modified)
    }
  }

  private let name: String
  private let target: String
  private let ending: String
  private let draft: OutputFile
  /// The original state of the file to replace; `nil` if there was none.
  private let original: FileStatus?
  /// The lock of the file to replace; `nil` if there is none, or it cannot be opened.
  private let hold: OutputFile?

  /// Starts a new file, replacing one left by an earlier run that was killed.
  ///
  /// With `isInput`, the content of the file goes into the new one, so it must exist. Throws also
  /// if another process is writing or replacing the file.
  public init(
    of name: String,
    ending: String = ".upgrade",
    isInput: Bool = true
  ) throws(OutputError) {
    (self.name, self.ending) = (name, ending)
    target = resolvedPath(name)
    hold = try Self.hold(target, of: name)
    original = FileStatus(path: target)
    guard original != nil || !isInput else { throw OutputError(name: name, code: errno) }
    draft = try Self.openDraft(target + ending, of: name, mode: original == nil ? 0o644 : 0o600)
    sink = Sink(file: draft.descriptor, name: name)
  }

  /// Syncs the new file and replaces the old one, if any, with the same permissions and, if
  /// permitted, the same owner.
  public func commit() throws(OutputError) {
    // Locked from here on, if it was created meanwhile.
    let newcomer = original == nil ? try Self.hold(target, of: name) : nil
    guard newcomer == nil, draft.isInPlace,
      FileStatus(path: target).map(Version.init) == original.map(Version.init)
    else {
      throw OutputError(
        name: name,
        reason: "has changed meanwhile; the new rows are in \(draft.path)"
      )
    }
    if let original {
      if fchown(draft.descriptor.number, original.owner, original.group) != 0 {
        _ = fchown(draft.descriptor.number, .max, original.group)
      }
      guard fchmod(draft.descriptor.number, original.mode & 0o7777) == 0 else {
        throw OutputError(name: name, code: errno)
      }
    }
    // Without an old file, nothing can be lost that cannot be created again.
    guard original == nil || fsync(draft.descriptor.number) == 0,
      unsafe rename(draft.path, target) == 0
    else { throw OutputError(name: name, code: errno) }
    if original != nil { synchronizeFolder(of: target) }
  }

  /// Whether there is a file to replace.
  public var isReplacing: Bool { original != nil }

  /// The state of the file if the new one is kept next to it.
  public var unfinished: UnfinishedFile {
    // As the user would write it, unless a link leads elsewhere.
    let near = name + ending
    let isNear = FileStatus(path: near)?.identity == FileStatus(path: draft.path)?.identity
    return UnfinishedFile(name: name, isOld: isReplacing, draft: isNear ? near : draft.path)
  }

  /// Removes the new file, and returns the state of the unchanged one.
  @discardableResult
  public func discard() -> UnfinishedFile {
    _ = unsafe unlink(draft.path)
    return UnfinishedFile(name: name, isOld: isReplacing, draft: nil)
  }

  /// Locks a file against other writers, if there is one that may be opened.
  private static func hold(_ path: String, of name: String) throws(OutputError) -> OutputFile? {
    for access in [O_RDWR, O_RDONLY] {
      do throws(OutputFileError) {
        return try OutputFile(opening: path, access | O_NOCTTY | O_NONBLOCK)
      } catch {
        if case .failed = error { continue }
        throw OutputError(name: name, error)
      }
    }
    return nil
  }

  /// Opens, locks and empties the new file.
  private static func openDraft(
    _ path: String,
    of name: String,
    mode: mode_t
  ) throws(OutputError) -> OutputFile {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
    let draft: OutputFile
    do throws(OutputFileError) {
      draft = try OutputFile(opening: path, flags, mode: mode)
    } catch {
      throw OutputError(name: name, error)
    }
    guard let status = FileStatus(descriptor: draft.descriptor.number), status.isRegular,
      status.links == 1, status.owner == geteuid()
    else { throw OutputError(name: path, reason: "is in the way; remove it") }
    guard ftruncate(draft.descriptor.number, 0) == 0 else {
      throw OutputError(name: name, code: errno)
    }
    return draft
  }
}

/// An output that was not replaced.
public struct UnfinishedFile: Sendable, Equatable {
  /// The name for users.
  public let name: String
  /// Whether there is an earlier file, which is unchanged.
  public let isOld: Bool
  /// The new file next to it with what was written; `nil` if there is none.
  public let draft: String?
}
