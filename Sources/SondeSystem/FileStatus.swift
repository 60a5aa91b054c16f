public import Glibc

/// Which file it is, by whatever name it was found.
public struct FileIdentity: Hashable, Sendable {
  /// The device that it lies on.
  public let device: UInt64
  /// Its number (inode) on that device.
  public let number: UInt64

  /// Names a file.
  public init(device: UInt64, number: UInt64) { (self.device, self.number) = (device, number) }
}

/// What the kernel knows of a file (stat(2)).
public struct FileStatus: Equatable, Sendable {
  /// Which file it is.
  public let identity: FileIdentity

  /// Its length in bytes.
  public let size: Int

  /// Its owner.
  public let owner: uid_t

  /// The group that it belongs to.
  public let group: gid_t

  /// Its type and permissions.
  public let mode: mode_t

  /// How many names it has; none once it is removed.
  public let links: Int

  /// When it was last written to, since 1970.
  public let modified: Duration

  /// When anything of it was last changed, since 1970.
  public let changed: Duration

  /// The file at a path, links followed.
  /// - Returns: `nil` where there is none, or it cannot be reached; `errno` says which.
  public init?(path: String) {
    var status = Glibc.stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file behind a descriptor.
  /// - Returns: `nil` where none is open.
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

  /// Whether it is a regular file: no pipe, terminal, device or folder.
  public var isRegular: Bool { mode & S_IFMT == S_IFREG }

  /// Whether it is a pipe, with a name or without.
  public var isPipe: Bool { mode & S_IFMT == S_IFIFO }
}
