public import Glibc

/// An open file with one owner, which is closed once, with its owner.
public final class Descriptor: Sendable {
  /// The file descriptor, for calls that this type does not wrap.
  public let number: Int32

  private let isOwned: Bool

  /// Opens a file that child processes do not inherit; `flags` and `mode` are those of open(2).
  public init(opening path: String, _ flags: Int32, mode: mode_t = 0o644) throws(SystemError) {
    number = unsafe open(path, flags | O_CLOEXEC, mode)
    isOwned = true
    guard number >= 0 else { throw SystemError() }
  }

  /// Takes over an open file.
  public init(owning number: Int32) { (self.number, isOwned) = (number, true) }

  /// Shares a descriptor with other users, such as a standard stream, and never closes it.
  public init(sharing number: Int32) { (self.number, isOwned) = (number, false) }

  deinit { if isOwned, number >= 0 { close(number) } }

  /// The kind and the length of the file.
  public func status() throws(SystemError) -> FileStatus {
    guard let status = FileStatus(descriptor: number) else { throw SystemError() }
    return status
  }
}
