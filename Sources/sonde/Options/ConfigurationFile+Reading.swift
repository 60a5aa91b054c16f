import Glibc

extension ConfigurationFile {
  /// The longest file that is read, in bytes; no sensible configuration is longer.
  private static let limit = 1 << 20

  /// Reads the files that exist, the one that wins first.
  static func readAll(environment: [String: String]) -> [ConfigurationFile] {
    paths(in: environment).compactMap(read)
  }

  /// Reads a file; `nil` where there is none.
  ///
  /// A file that is there and cannot be read is ``Contents/unreadable(_:)``, which only matters
  /// once its settings are asked for.
  static func read(_ path: String) -> ConfigurationFile? {
    // Without blocking, so that a pipe in its place cannot stop the program.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let isAbsent = errno == ENOENT || errno == ENOTDIR
      return isAbsent ? nil : unreadable(path, errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return unreadable(path, errno) }
    let facts = Facts(
      mode: status.st_mode & 0o7777,
      owner: status.st_uid,
      user: geteuid()
    )
    return contents(of: descriptor, path: path, facts: facts)
  }

  private static func contents(
    of descriptor: Int32,
    path: String,
    facts: Facts
  ) -> ConfigurationFile {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return unreadable(path, errno) }
      guard count > 0 else { break }
      bytes += block.prefix(count)
      guard bytes.count <= limit else {
        return ConfigurationFile(path: path, contents: .unreadable("it is longer than 1 MiB"))
      }
    }
    return ConfigurationFile(path: path, contents: .bytes(bytes, facts))
  }

  private static func unreadable(_ path: String, _ code: Int32) -> ConfigurationFile {
    ConfigurationFile(path: path, contents: .unreadable(unsafe String(cString: strerror(code))))
  }
}
