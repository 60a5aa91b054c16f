public import Glibc

/// A file open for writing that no other process of Sonde can write at the same time.
///
/// A regular file is locked until the object is released. The lock is on the file itself, so
/// symbolic and hard links lead to the same lock. Devices, pipes and sockets are never locked. The
/// locked byte is one that SQLite never locks (https://www.sqlite.org/lockingv3.html), so that
/// databases can be locked in the same way. Since closing any descriptor of a file drops all of
/// SQLite's locks on it (fcntl(2)), the object of a database must outlive its connections.
public final class OutputFile: Sendable {
  /// The path as the user wrote it.
  public let path: String

  /// The open file.
  public let descriptor: Descriptor

  /// Whether it is a regular file.
  public let isRegular: Bool

  /// Whether this object created it.
  public let isMade: Bool

  private let identity: FileIdentity

  /// The number of attempts to open a file that others are replacing.
  private static let attempts = 100

  /// Opens and locks a file without changing its content.
  ///
  /// Opening a named pipe waits for a reader. A file opened read-only is locked shared. `flags` and
  /// `mode` are those of open(2).
  public init(opening path: String, _ flags: Int32, mode: mode_t = 0o644) throws(OutputFileError) {
    self.path = path
    let isShared = flags & O_ACCMODE == O_RDONLY
    for _ in 0..<Self.attempts {
      let (file, isMade) = try Self.open(path, flags, mode)
      guard let status = FileStatus(descriptor: file.number) else { throw .failed(SystemError()) }
      if status.isRegular {
        guard try Self.lock(file, isShared: isShared) else { throw .busy }
        // The previous holder of the lock may have replaced or removed the file.
        guard FileStatus(path: path)?.identity == status.identity else { continue }
      }
      (descriptor, self.isMade, isRegular) = (file, isMade, status.isRegular)
      identity = status.identity
      return
    }
    throw .busy
  }

  /// Whether the path still leads to the file; always true unless it is regular.
  public var isInPlace: Bool { !isRegular || FileStatus(path: path)?.identity == identity }

  /// Removes the file if this object created it.
  public func discard() { if isMade, isInPlace { _ = unsafe unlink(path) } }

  /// Whether another process is writing a file; false if that is unknown.
  public static func isBusy(_ path: String) -> Bool {
    guard FileStatus(path: path)?.isRegular == true,
      let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return false }
    return (try? FileLock.isHeld(file.number, .writer)) == true
  }

  /// The errors of fcntl(2) if the kernel or file system does not support such locks.
  ///
  /// Others, such as `ENOLCK` from a failing lock server, may hide the lock of another process.
  static let codesWithoutLocks = [EINVAL, ENOSYS, ENOTSUP]

  /// Locks a file, if its file system has locks; false if another process holds the lock.
  private static func lock(_ file: Descriptor, isShared: Bool) throws(OutputFileError) -> Bool {
    do throws(SystemError) {
      return try FileLock.tryLock(file.number, .writer, isShared: isShared)
    } catch {
      guard codesWithoutLocks.contains(error.code) else { throw .unlockable(error) }
      return true
    }
  }

  private static func open(
    _ path: String,
    _ flags: Int32,
    _ mode: mode_t
  ) throws(OutputFileError) -> (Descriptor, isMade: Bool) {
    do throws(SystemError) {
      if flags & O_CREAT != 0, let made = try? Descriptor(opening: path, flags | O_EXCL, mode: mode)
      {
        return (made, true)
      }
      return (try Descriptor(opening: path, flags, mode: mode), false)
    } catch {
      throw .failed(error)
    }
  }
}

/// The reason why a file cannot be written.
public enum OutputFileError: Error, Equatable {
  /// Another process is writing the file.
  case busy
  /// The file cannot be opened.
  case failed(SystemError)
  /// The file cannot be locked, although its file system supports locks.
  case unlockable(SystemError)
}

extension FileLock.Place {
  /// The byte whose lock is the right to write a file, beyond those that SQLite locks.
  fileprivate static let writer = FileLock.Place.byte(1 << 62)
}
