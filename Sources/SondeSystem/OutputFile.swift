public import Glibc

/// A file that is open for writing, and that no other process of Sonde writes meanwhile.
///
/// A regular file is locked from its opening until the object is gone: the file itself, so that a
/// symbolic or a hard link leads to the same lock. Devices, pipes and sockets are never locked. One
/// byte is locked that SQLite never locks (https://www.sqlite.org/lockingv3.html), so that databases
/// are kept in the same manner; since closing any descriptor of a file drops all of SQLite's locks on
/// it (fcntl(2)), the object of a database must outlive its connections.
public final class OutputFile: Sendable {
  /// Where it is, as the user wrote it.
  public let path: String

  /// The open file.
  public let descriptor: Descriptor

  /// Whether it is a regular file.
  public let isRegular: Bool

  /// Whether this object created it.
  public let isMade: Bool

  private let identity: FileIdentity

  /// How often a file is opened again that others replace at the moment.
  private static let attempts = 100

  /// Opens and locks a file, and changes nothing in it.
  ///
  /// - Parameters:
  ///   - path: The file. A named pipe is waited for until it has a reader.
  ///   - flags: Those of open(2); a file that is opened to be read only shares its lock with others
  ///     that do so.
  ///   - mode: The permissions of a file that is made.
  /// - Throws: ``OutputFileError``.
  public init(
    opening path: String,
    _ flags: Int32,
    mode: mode_t = 0o644
  ) throws(OutputFileError) {
    self.path = path
    let isShared = flags & O_ACCMODE == O_RDONLY
    for _ in 0..<Self.attempts {
      let (file, isMade) = try Self.open(path, flags, mode)
      guard let status = FileStatus(descriptor: file.number) else { throw .failed(SystemError()) }
      if status.isRegular {
        guard try Self.lock(file, isShared: isShared) else { throw .busy }
        // Whoever held the lock before may have replaced or removed the file.
        guard FileStatus(path: path)?.identity == status.identity else { continue }
      }
      (descriptor, self.isMade, isRegular) = (file, isMade, status.isRegular)
      identity = status.identity
      return
    }
    throw .busy
  }

  /// Whether its path still leads to it; always true unless it is a regular file.
  public var isInPlace: Bool { !isRegular || FileStatus(path: path)?.identity == identity }

  /// Removes the file if this object created it.
  public func discard() { if isMade, isInPlace { _ = unsafe unlink(path) } }

  /// Whether another process writes a file.
  ///
  /// - Parameter path: The file.
  /// - Returns: Whether it is locked; not where that cannot be found out.
  public static func isBusy(_ path: String) -> Bool {
    guard FileStatus(path: path)?.isRegular == true,
      let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return false }
    return (try? FileLock.isHeld(file.number, .writer)) == true
  }

  /// The errors of fcntl(2) where the kernel or the file system has no such locks; any other, such as
  /// `ENOLCK` where a lock server fails, may hide the lock of another process.
  static let codesWithoutLocks = [EINVAL, ENOSYS, ENOTSUP]

  /// Locks a file, unless its file system has no locks.
  ///
  /// - Returns: Whether nobody else has it locked, as far as can be known.
  private static func lock(
    _ file: Descriptor,
    isShared: Bool
  ) throws(OutputFileError) -> Bool {
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

/// Why a file cannot be written.
public enum OutputFileError: Error, Equatable {
  /// Another process writes it.
  case busy
  /// The system does not open it.
  case failed(SystemError)
  /// The system does not lock it, though its file system has locks.
  case unlockable(SystemError)
}

extension FileLock.Place {
  /// The byte that stands for the right to write a file, beyond those that SQLite locks.
  fileprivate static let writer = FileLock.Place.byte(1 << 62)
}
