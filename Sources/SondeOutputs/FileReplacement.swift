import Glibc
import SondeSystem

/// A file that is written beside another one, and takes its place when it is whole.
///
/// Until then the other one stays as it was, whatever happens. A symbolic link stays one: the file
/// that it leads to is replaced.
public final class FileReplacement: Sendable {
  /// Takes the bytes of the new file.
  public let sink: Sink

  /// What tells whether a file has been changed.
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
  /// The file to replace, as it was at the beginning; `nil` where there was none.
  private let original: FileStatus?
  /// Keeps others from writing it; `nil` where there is none, or it cannot be opened.
  private let hold: OutputFile?

  /// Begins a new file, in place of the one that a run before may have left when it was killed.
  ///
  /// - Parameters:
  ///   - name: The file to replace.
  ///   - ending: What is behind its name in that of the new file.
  ///   - isInput: Whether what is in the file goes into the new one, so that it must be there.
  /// - Throws: ``OutputError`` when there can be no file beside it, or another process writes it or is
  ///   about to replace it.
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

  /// Puts the new file, once it is on the disk, in the place of the old one, if there was one, with
  /// the same permissions and, where that is allowed, the same owner.
  public func commit() throws(OutputError) {
    // Locked from here on, if it was made meanwhile.
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
    // Where nothing is replaced, nothing can be lost that is not there to be made again.
    guard original == nil || fsync(draft.descriptor.number) == 0,
      unsafe rename(draft.path, target) == 0
    else { throw OutputError(name: name, code: errno) }
    if original != nil { synchronizeFolder(of: target) }
  }

  /// Whether there is a file to replace.
  public var isReplacing: Bool { original != nil }

  /// The file, where the new one stays beside it.
  public var unfinished: UnfinishedFile {
    // As the user would write it, unless a link leads elsewhere.
    let near = name + ending
    let isNear = FileStatus(path: near)?.identity == FileStatus(path: draft.path)?.identity
    return UnfinishedFile(name: name, isOld: isReplacing, draft: isNear ? near : draft.path)
  }

  /// Takes the new file away.
  ///
  /// - Returns: The file, where it stays as it was.
  @discardableResult
  public func discard() -> UnfinishedFile {
    _ = unsafe unlink(draft.path)
    return UnfinishedFile(name: name, isOld: isReplacing, draft: nil)
  }

  /// Keeps others from writing a file, if there is one that may be opened.
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

  /// Opens the new file, locks it and empties it.
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

/// An output that has not been replaced.
public struct UnfinishedFile: Sendable, Equatable {
  /// What the user calls it.
  public let name: String
  /// Whether there is an earlier one, which stays as it was.
  public let isOld: Bool
  /// The file beside it with what was written; `nil` where there is none.
  public let draft: String?
}
