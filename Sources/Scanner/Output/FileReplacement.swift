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
  private struct Identity: Equatable {
    let device: UInt
    let number: UInt
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
      size = Int64(status.st_size)
      (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
    }
  }

  private let name: String
  private let target: String
  private let path: String
  private let descriptor: Int32
  private let identity: Identity
  private let mode: mode_t
  private let owner: (user: uid_t, group: gid_t)

  /// Begins a new file, in place of the one that a run before may have left when it was killed.
  ///
  /// - Parameter name: The file to replace, which must be there.
  /// - Throws: ``OutputError`` when there can be no file beside it, or another process is about to
  ///   replace it.
  public init(of name: String) throws(OutputError) {
    self.name = name
    target = try Self.resolve(name)
    path = target + ".upgrade"
    descriptor = try Self.open(path)
    do throws(OutputError) {
      let status = try Self.status(of: target)
      (mode, owner) = (status.st_mode & 0o7777, (status.st_uid, status.st_gid))
      identity = Identity(status)
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { throw OutputError(name: path, code: errno) }
      sink = Sink(file: Descriptor(owning: copy), name: path)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// Puts the new file, once it is on the disk, in the place of the old one, with the same
  /// permissions and, where that is allowed, the same owner.
  public func commit() throws(OutputError) {
    guard Identity(try Self.status(of: target)) == identity else {
      throw OutputError(name: name, reason: "has changed meanwhile; the new rows are in \(path)")
    }
    if fchown(descriptor, owner.user, owner.group) != 0 {
      _ = fchown(descriptor, .max, owner.group)
    }
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0,
      unsafe rename(path, target) == 0
    else { throw OutputError(name: path, code: errno) }
    synchronizeFolder(of: target)
  }

  /// Takes the new file away.
  public func discard() { _ = unsafe unlink(path) }

  private static func lock(_ descriptor: Int32, _ path: String) throws(OutputError) -> Bool {
    do throws(SystemError) {
      return try FileLock.tryLock(descriptor)
    } catch {
      throw OutputError(name: path, reason: "cannot be locked: \(error)")
    }
  }

  private static func resolve(_ name: String) throws(OutputError) -> String {
    guard let resolved = unsafe realpath(name, nil) else {
      throw OutputError(name: name, code: errno)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func status(of path: String) throws(OutputError) -> stat {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw OutputError(name: path, code: errno) }
    return status
  }

  /// Opens the file beside, empties it and locks it.
  private static func open(_ path: String) throws(OutputError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
    while true {
      let descriptor = unsafe Glibc.open(path, flags, 0o600)
      guard descriptor >= 0 else { throw OutputError(name: path, code: errno) }
      do throws(OutputError) {
        guard try Self.lock(descriptor, path) else {
          throw OutputError(name: path, reason: "another sonde is at work on it")
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
          throw OutputError(name: path, code: errno)
        }
        // Whoever had it may have put it in its place, or taken it away, before this lock.
        if status.st_nlink > 0, let named = try? Self.status(of: path),
          Identity(named) == Identity(status)
        {
          guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            status.st_uid == geteuid()
          else { throw OutputError(name: path, reason: "is in the way; remove it") }
          guard ftruncate(descriptor, 0) == 0 else { throw OutputError(name: path, code: errno) }
          return descriptor
        }
      } catch {
        close(descriptor)
        throw error
      }
      close(descriptor)
    }
  }
}
