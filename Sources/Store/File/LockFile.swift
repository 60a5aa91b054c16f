import Glibc

/// The file beside a database whose bytes are locked, never written.
///
/// The locks belong to the open file (`F_OFD_SETLK`, fcntl(2)) and end with the process however that
/// ends, so that no process number has to be believed.
final class LockFile: Sendable {
  // Linux, include/uapi/asm-generic/fcntl.h; Glibc's module leaves them out.
  private static let testLock: Int32 = 36
  private static let setLock: Int32 = 37

  /// Identities are below this; the byte at it is locked while files are made or moved.
  private static let changes: off_t = 1 << 62

  private let descriptor: Int32
  private let path: String

  /// Opens the file, or makes it.
  init(path: String) throws(StoreError) {
    self.path = path
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(system: path) }
  }

  deinit { close(descriptor) }

  /// Whether the file is still the one at its path.
  var isInPlace: Bool {
    guard let identity = FileIdentity(path: path) else { return false }
    return identity == FileIdentity(descriptor: descriptor)
  }

  /// Shows everybody that this process lives.
  ///
  /// - Returns: Whether that could be done.
  func hold(_ holder: UInt64) -> Bool { lock(Self.setLock, at: off_t(holder), F_WRLCK) != nil }

  /// Whether another open file holds a place, that is, whether its process lives.
  func isHeld(_ holder: UInt64) -> Bool {
    guard holder > 0, holder < UInt64(Self.changes) else { return false }
    guard let found = lock(Self.testLock, at: off_t(holder), F_WRLCK) else { return false }
    return Int32(found.l_type) != F_UNLCK
  }

  /// Lets nobody else make or move files meanwhile.
  ///
  /// Waits some seconds at most: who has held it for that long is stopped, not at work.
  func whileAlone<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    for _ in 0..<5000 {
      if lock(Self.setLock, at: Self.changes, F_WRLCK) != nil { break }
      guard errno == EAGAIN || errno == EACCES || errno == EINTR else { break }
      usleep(1000)
    }
    defer { _ = lock(Self.setLock, at: Self.changes, F_UNLCK) }
    return try body()
  }

  private func lock(_ command: Int32, at offset: off_t, _ type: Int32) -> flock? {
    var request = flock()
    request.l_type = Int16(type)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = offset
    request.l_len = 1
    return unsafe fcntl(descriptor, command, &request) == 0 ? request : nil
  }
}

/// Which file it is, whatever it is called.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// Its length in bytes; two identities are the same without it.
  let size: Int

  /// Its owner.
  let owner: uid_t

  /// Its permissions and type.
  let mode: mode_t

  /// - Returns: `nil` where there is no such file.
  init?(path: String) {
    var status = Glibc.stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: Int32) {
    var status = Glibc.stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = status.st_dev
    number = status.st_ino
    size = Int(status.st_size)
    owner = status.st_uid
    mode = status.st_mode
  }

  /// Makes sure that it is a regular file.
  func checkType(_ path: String) throws(StoreError) {
    guard mode & S_IFMT == S_IFREG else { throw StoreError(.forbidden, "\(path) is no file") }
  }

  static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.device == right.device && left.number == right.number
  }
}
