public import Glibc

/// The identity of a file, independent of its name.
public struct FileIdentity: Hashable, Sendable {
  /// The device that contains the file.
  public let device: UInt64
  /// The file's inode number on that device.
  public let number: UInt64

  /// Creates an identity.
  public init(device: UInt64, number: UInt64) { (self.device, self.number) = (device, number) }
}

/// The kernel's information about a file (stat(2)).
public struct FileStatus: Equatable, Sendable {
  /// The identity of the file.
  public let identity: FileIdentity

  /// Its length in bytes.
  public let size: Int

  /// Its owner.
  public let owner: uid_t

  /// Its group.
  public let group: gid_t

  /// Its type and permissions.
  public let mode: mode_t

  /// The number of its names (hard links); 0 after it is removed.
  public let links: Int

  /// When it was last written to, since 1970.
  public let modified: Duration

  /// When its content or attributes were last changed, since 1970.
  public let changed: Duration

  /// Reads the status of the file at a path, following links; `nil` if that fails, see `errno`.
  public init?(path: String) {
    var status = Glibc.stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the status of an open file; `nil` if the descriptor is not open.
  public init?(descriptor: Int32) {
    var status = Glibc.stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    identity = FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    size = Int(status.st_size)
    (owner, group, mode) = (status.st_uid, status.st_gid, status.st_mode)
    links = Int(clamping: status.st_nlink)
    modified = Duration(status.st_mtim)
    changed = Duration(status.st_ctim)
  }

  /// Whether it is a regular file, as opposed to a pipe, terminal, device or directory.
  public var isRegular: Bool { mode & S_IFMT == S_IFREG }

  /// Whether it is a directory.
  public var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

  /// Whether it is a pipe, named or not.
  public var isPipe: Bool { mode & S_IFMT == S_IFIFO }
}
