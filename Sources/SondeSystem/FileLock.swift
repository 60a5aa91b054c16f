import Glibc

/// Locks on bytes of a file, for all processes of the machine.
///
/// They belong to the open file (fcntl(2), "Open file description locks") and end with the process
/// however that ends, so that no process number has to be trusted. Nobody waits for a lock.
public enum FileLock {
  /// Which bytes are locked; they need not exist.
  public enum Place: Sendable {
    case wholeFile
    case byte(Int)
  }

  // Linux, include/uapi/asm-generic/fcntl.h; Glibc's module leaves them out.
  private static let test: Int32 = 36
  private static let set: Int32 = 37

  /// Locks a place: exclusively, or shared with others who share it.
  ///
  /// - Parameters:
  ///   - descriptor: The file, open for writing.
  ///   - place: What is locked.
  ///   - isShared: Whether others may lock it in the same manner at the same time.
  /// - Returns: Whether it could be; not while another open file holds it. What was held stays held.
  /// - Throws: ``SystemError`` where it fails for another reason, for instance on a file system
  ///   without locks.
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

  /// Releases a lock.
  public static func unlock(_ descriptor: Int32, _ place: Place = .wholeFile) {
    var request = place.request(F_UNLCK)
    _ = unsafe fcntl(descriptor, set, &request)
  }

  /// Whether another open file holds a lock on a place.
  ///
  /// - Throws: ``SystemError`` where that cannot be known.
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
