import Glibc

/// A small file that is read and written as a whole.
public struct WholeFile: Sendable {
  /// The path of the file.
  public let path: String

  /// Names the file.
  public init(path: String) { self.path = path }

  /// Reads the file; throws ``SystemError``, `EFBIG` if it is longer than `limit` bytes.
  public func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit + 1, 64 << 10))
    while true {
      let count = unsafe Glibc.read(file.number, &buffer, buffer.count)
      guard count >= 0 else { throw SystemError() }
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
      guard bytes.count <= limit else { throw SystemError(EFBIG) }
    }
  }

  /// Writes the file atomically, for this user only, and creates missing directories.
  ///
  /// Concurrent readers, and readers after a failure, see the previous content.
  public func write(_ bytes: [UInt8]) throws(SystemError) {
    if let obstacle = makePrivateFolders(folder(of: path)) { throw SystemError(obstacle.code) }
    let draft = "\(path).\(UInt64.random(in: 0 ... .max))"
    let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    do throws(SystemError) {
      try file.write(bytes)
      guard fsync(file.number) == 0, unsafe rename(draft, path) == 0 else { throw SystemError() }
    } catch {
      unsafe unlink(draft)
      throw error
    }
    synchronizeFolder(of: path)
  }

  /// Removes the file, if it exists.
  public func remove() throws(SystemError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw SystemError() }
  }
}
