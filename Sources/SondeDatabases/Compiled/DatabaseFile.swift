import Glibc

/// A database file open for reading, whose format is recognised by its content.
///
/// It is read with `pread`, so that truncation causes an error, not a signal.
struct DatabaseFile: ~Copyable {
  /// The supported formats.
  enum Format {
    /// libloc's own: the file begins with `LOCDBXX` (`libloc/format.h`).
    case libloc
    /// MaxMind DB; the metadata begins at `metadata`, right after the last marker.
    case maxMind(metadata: Int)
  }

  let path: String
  let descriptor: Int32
  let size: Int

  /// Opens a regular file that is not empty.
  init(path: String) throws(DatabaseError) {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    let isOpen = unsafe descriptor >= 0 && fstat(descriptor, &status) == 0
    let error = errno
    (self.path, self.descriptor) = (path, descriptor)
    size = Int(status.st_size)
    guard isOpen else { throw DatabaseError(path: path, reason: .unreadable(errno: error)) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isDirectory = status.st_mode & S_IFMT == S_IFDIR
      throw DatabaseError(path: path, reason: isDirectory ? .unreadable(errno: EISDIR) : .notAFile)
    }
    guard size > 0 else { throw DatabaseError(path: path, reason: .empty) }
  }

  /// A copy with its own descriptor.
  func copy() throws(DatabaseError) -> DatabaseFile {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw DatabaseError(path: path, reason: .unreadable(errno: errno)) }
    return DatabaseFile(path: path, descriptor: copy, size: size)
  }

  private init(path: String, descriptor: Int32, size: Int) {
    (self.path, self.descriptor, self.size) = (path, descriptor, size)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The absolute path without symbolic links.
  var realPath: String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Recognises the format by the marks that both define.
  func format() throws(DatabaseError) -> Format {
    if try read(at: 0, count: min(7, size)) == Array("LOCDBXX".utf8) { return .libloc }
    guard let metadata = try metadataOffset() else {
      throw DatabaseError(path: path, reason: .unrecognised)
    }
    return .maxMind(metadata: metadata)
  }

  /// Reads exactly `count` bytes.
  func read(at offset: Int, count: Int) throws(DatabaseError) -> [UInt8] {
    var failure: DatabaseError.Reason?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
        let got = unsafe pread(descriptor, rest.baseAddress, rest.count, offset + filled)
        if got < 0, errno == EINTR { continue }
        if got <= 0 {
          failure = got == 0 ? .damaged("it is cut short") : .unreadable(errno: errno)
          return
        }
        filled += got
      }
    }
    if let failure { throw DatabaseError(path: path, reason: failure) }
    return bytes
  }

  /// The position of the MMDB metadata: after the last marker in the last 128 KiB
  /// (https://maxmind.github.io/MaxMind-DB/, "Database Metadata").
  private func metadataOffset() throws(DatabaseError) -> Int? {
    let marker = Array("\u{ab}\u{cd}\u{ef}MaxMind.com".unicodeScalars.map { UInt8($0.value) })
    let tail = try read(at: size - min(size, 128 << 10), count: min(size, 128 << 10))
    guard tail.count >= marker.count else { return nil }
    for start in stride(from: tail.count - marker.count, through: 0, by: -1)
    where tail[start] == marker[0] && tail[start..<start + marker.count] == marker[...] {
      return size - tail.count + start + marker.count
    }
    return nil
  }
}
