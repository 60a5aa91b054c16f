import Glibc

/// A file with a random key for ``KeyedHash``, readable by its owner alone.
///
/// What is hashed with it can be recognised on this machine, and nowhere else.
public struct KeyFile: Sendable {
  /// Where it lies.
  public let path: String

  /// Names the file; it is read, and made if need be, by ``load()``.
  public init(path: String) { self.path = path }

  /// Reads the key, and makes one where there is none or no whole one.
  ///
  /// Of processes that make one at the same time all get the same.
  /// - Throws: ``SystemError`` when it can be neither read nor made.
  public func load() throws(SystemError) -> KeyedHash {
    for _ in 0..<3 {
      if let key = try read() { return key }
      try make()
    }
    // Something else keeps putting a file of another length there.
    throw SystemError(EEXIST)
  }

  /// The key that is there, read without changing anything; `nil` where there is no whole one.
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
      // It was whole when it got its name: something else has changed it.
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
    // One byte more than there should be.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: KeyedHash.keyLength + 1) {
      unsafe count = Glibc.read(file.number, $0.baseAddress, $0.count)
      $1 = max(0, count)
    }
    guard count >= 0 else { throw SystemError() }
    return bytes
  }

  /// Puts a new key at the path, unless another process is first.
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
