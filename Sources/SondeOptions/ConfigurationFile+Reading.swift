import Glibc

extension ConfigurationFile {
  /// The largest file that is read, in bytes; no sensible configuration is larger.
  private static let limit = 1 << 20

  /// Reads the existing files by descending precedence: the user's, then the machine's.
  package static func readAll(environment: [String: String]) -> [ConfigurationFile] {
    let user = usersPath(in: environment).flatMap { read($0) }
    let credential = credentialPath(in: environment).flatMap { read($0, as: .credential) }
    return [user, credential ?? read(systemPath, as: .system)].compactMap(\.self)
  }

  /// Reads a file; `nil` if there is none.
  ///
  /// A file that exists but cannot be read becomes ``Contents/unreadable(_:)`` or
  /// ``Contents/forbidden(_:)``, which matters only when its settings are requested.
  static func read(_ path: String, as kind: Kind = .user) -> ConfigurationFile? {
    // Non-blocking, so that a pipe at this path cannot stop the program.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let isAbsent = errno == ENOENT || errno == ENOTDIR
      return isAbsent ? nil : ConfigurationFile(path: path, kind: kind, contents: failure(kind))
    }
    defer { close(descriptor) }
    return ConfigurationFile(path: path, kind: kind, contents: contents(of: descriptor, kind))
  }

  private static func contents(of descriptor: Int32, _ kind: Kind) -> Contents {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return failure(kind) }
    let facts = Facts(
      mode: status.st_mode & 0o7777,
      owner: status.st_uid,
      user: geteuid()
    )
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return failure(kind) }
      guard count > 0 else { break }
      bytes += block.prefix(count)
      guard bytes.count <= limit else { return .unreadable("it is longer than 1 MiB") }
    }
    return .bytes(bytes, facts)
  }

  /// Why the last system call failed.
  private static func failure(_ kind: Kind) -> Contents {
    let code = errno
    let reason = unsafe String(cString: strerror(code))
    let isRefusal = code == EACCES || code == EPERM
    return isRefusal && kind != .user ? .forbidden(reason) : .unreadable(reason)
  }
}
