import Glibc

/// Locks on bytes of a file, for all processes on the machine.
///
/// They belong to the open file (fcntl(2), "Open file description locks") and end with the process
/// in any case, so no process ID has to be checked. No call waits for a lock.
public enum FileLock {
  /// The bytes to lock, which need not exist.
  public enum Place: Sendable {
    case wholeFile
    case byte(Int)
  }

  // From Linux's include/uapi/asm-generic/fcntl.h; Glibc's module lacks them.
  private static let test: Int32 = 36
  private static let set: Int32 = 37

  /// Locks a place exclusively, or shared with other such locks, in a file open for writing.
  ///
  /// Returns false while another open file holds the lock; earlier locks are kept. Throws
  /// ``SystemError`` if it fails for another reason, for example on a file system without locks.
  public static func tryLock(
    _ descriptor: Int32,
    _ place: Place = .wholeFile,
    isShared: Bool = false
  ) throws(SystemError) -> Bool {
    var request = place.request(isShared ? F_RDLCK : F_WRLCK)
    while unsafe fcntl(descriptor, set, &request) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      case let code: throw SystemError(code)
      }
    }
    return true
  }

  /// Locks a directory exclusively (flock(2)), also one that cannot be written.
  ///
  /// Returns false while another open file holds the lock.
  public static func tryLockFolder(_ folder: Descriptor) throws(SystemError) -> Bool {
    while flock(folder.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return false
      case let code: throw SystemError(code)
      }
    }
    return true
  }

  /// Releases a lock.
  public static func unlock(_ descriptor: Int32, _ place: Place = .wholeFile) {
    var request = place.request(F_UNLCK)
    _ = unsafe fcntl(descriptor, set, &request)
  }

  /// Whether another open file holds a lock on a place; throws ``SystemError`` if that is unknown.
  public static func isHeld(
    _ descriptor: Int32,
    _ place: Place = .wholeFile
  ) throws(SystemError) -> Bool {
    var request = place.request(F_WRLCK)
    guard unsafe fcntl(descriptor, test, &request) == 0 else { throw SystemError() }
    return Int32(request.l_type) != F_UNLCK
  }
}

extension FileLock.Place {
  fileprivate func request(_ type: Int32) -> flock {
    var request = flock()
    request.l_type = Int16(type)
    request.l_whence = Int16(SEEK_SET)
    if case .byte(let offset) = self { (request.l_start, request.l_len) = (offset, 1) }
    return request
  }
}
