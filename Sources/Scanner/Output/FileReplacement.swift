import Glibc
import System

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
  private let path: String
  private let file: Descriptor
  /// The file to replace, as it was at the beginning; `nil` where there was none.
  private let original: FileStatus?
  /// Whether it must not have changed since.
  private let isInput: Bool

  /// Begins a new file, in place of the one that a run before may have left when it was killed.
  ///
  /// - Parameters:
  ///   - name: The file to replace.
  ///   - ending: What is behind its name in that of the new file.
  ///   - isInput: Whether what is in the file goes into the new one, so that it must be there and not
  ///     change meanwhile.
  /// - Throws: ``OutputError`` when there can be no file beside it, or another process is about to
  ///   replace it.
  public init(
    of name: String,
    ending: String = ".upgrade",
    isInput: Bool = true
  ) throws(OutputError) {
    (self.name, self.ending, self.isInput) = (name, ending, isInput)
    target = resolvedPath(name)
    path = target + ending
    let isThere = FileStatus(path: target) != nil
    guard isThere || !isInput else { throw OutputError(name: name, code: errno) }
    file = try Self.openDraft(path, of: name, mode: isThere ? 0o600 : 0o644)
    // Once it is locked, nobody else replaces the file.
    original = isThere ? try Self.status(of: target) : nil
    do throws(SystemError) {
      sink = Sink(file: try file.duplicate(), name: name)
    } catch {
      throw OutputError(name: name, code: error.code)
    }
  }

  /// Puts the new file, once it is on the disk, in the place of the old one, if there was one, with
  /// the same permissions and, where that is allowed, the same owner.
  public func commit() throws(OutputError) {
    if let original {
      if isInput, Version(try Self.status(of: target)) != Version(original) {
        throw OutputError(name: name, reason: "has changed meanwhile; the new rows are in \(path)")
      }
      if fchown(file.number, original.owner, original.group) != 0 {
        _ = fchown(file.number, .max, original.group)
      }
      guard fchmod(file.number, original.mode & 0o7777) == 0 else {
        throw OutputError(name: name, code: errno)
      }
    }
    // Where nothing is replaced, nothing can be lost that is not there to be made again.
    guard original == nil || fsync(file.number) == 0, unsafe rename(path, target) == 0 else {
      throw OutputError(name: name, code: errno)
    }
    if original != nil { synchronizeFolder(of: target) }
  }

  /// Whether there is a file to replace.
  public var isReplacing: Bool { original != nil }

  /// The file, where the new one stays beside it.
  public var unfinished: UnfinishedFile {
    // As the user would write it, unless a link leads elsewhere.
    let near = name + ending
    let isNear = FileStatus(path: near)?.identity == FileStatus(path: path)?.identity
    return UnfinishedFile(name: name, isOld: isReplacing, draft: isNear ? near : path)
  }

  /// Takes the new file away.
  ///
  /// - Returns: The file, where it stays as it was.
  @discardableResult
  public func discard() -> UnfinishedFile {
    _ = unsafe unlink(path)
    return UnfinishedFile(name: name, isOld: isReplacing, draft: nil)
  }

  private static func status(of path: String) throws(OutputError) -> FileStatus {
    guard let status = FileStatus(path: path) else { throw OutputError(name: path, code: errno) }
    return status
  }

  /// Opens the new file, locks it and empties it.
  private static func openDraft(
    _ path: String,
    of name: String,
    mode: mode_t
  ) throws(OutputError) -> Descriptor {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
    while true {
      let file: Descriptor
      do throws(SystemError) {
        file = try Descriptor(opening: path, flags, mode: mode)
      } catch {
        throw OutputError(name: name, code: error.code)
      }
      try lock(file, name)
      guard let status = FileStatus(descriptor: file.number) else {
        throw OutputError(name: name, code: errno)
      }
      // Whoever held the lock before may have renamed or removed the file meanwhile.
      guard status.links > 0, FileStatus(path: path)?.identity == status.identity else { continue }
      guard status.isRegular, status.links == 1, status.owner == geteuid() else {
        throw OutputError(name: path, reason: "is in the way; remove it")
      }
      guard ftruncate(file.number, 0) == 0 else { throw OutputError(name: name, code: errno) }
      return file
    }
  }

  private static func lock(_ file: Descriptor, _ name: String) throws(OutputError) {
    let isLocked: Bool
    do throws(SystemError) {
      isLocked = try FileLock.tryLock(file.number)
    } catch {
      throw OutputError(name: name, reason: "cannot be locked: \(error)")
    }
    guard isLocked else {
      throw OutputError(name: name, reason: "another sonde is at work on it")
    }
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
