import Glibc

/// A file with a random key for ``KeyedHash``, readable by its owner only.
///
/// Its hashes can be recognised on this machine only.
public struct KeyFile: Sendable {
  /// The path of the file.
  public let path: String

  /// Names the file, which ``load()`` reads or creates.
  public init(path: String) { self.path = path }

  /// Reads the key, or creates one if it is missing or incomplete.
  ///
  /// Processes that create it at the same time all receive the same key.
  /// - Throws: ``SystemError`` if it can be neither read nor created.
  public func load() throws(SystemError) -> KeyedHash {
    for _ in 0..<3 {
      if let key = try read() { return key }
      try make()
    }
    // Another program keeps writing a file of another length.
    throw SystemError(EEXIST)
  }

  /// The existing key, read without changing anything; `nil` if it is missing or incomplete.
  public var existing: KeyedHash? {
    guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK),
      let bytes = try? content(of: file)
    else { return nil }
    return KeyedHash(key: bytes)
  }

  private func read() throws(SystemError) -> KeyedHash? {
    let file: Descriptor
    do throws(SystemError) {
      file = try Descriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
    guard let key = KeyedHash(key: try content(of: file)) else {
      // The file was complete when it was named, so another program has changed it.
      unsafe unlink(path)
      return nil
    }
    if let status = FileStatus(descriptor: file.number), status.mode & 0o077 != 0 {
      fchmod(file.number, 0o600)
    }
    return key
  }

  private func content(of file: Descriptor) throws(SystemError) -> [UInt8] {
    var count = 0
    // Reads one byte more than the file should have.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: KeyedHash.keyLength + 1) {
      unsafe count = Glibc.read(file.number, $0.baseAddress, $0.count)
      $1 = max(0, count)
    }
    guard count >= 0 else { throw SystemError() }
    return bytes
  }

  /// Writes a new key, unless another process is first.
  private func make() throws(SystemError) {
    let draft = "\(path).\(UInt64.random(in: 0 ... .max))"
    defer { unsafe unlink(draft) }
    let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    let key = KeyedHash.randomKey()
    guard unsafe write(file.number, key, key.count) == key.count, fsync(file.number) == 0 else {
      throw SystemError()
    }
    guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw SystemError() }
  }
}
