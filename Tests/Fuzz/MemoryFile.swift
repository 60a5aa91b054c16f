#if DEBUG
  import Glibc

  /// Puts bytes into a file that lies in memory alone, and is open until the body ends.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - body: Reads them, from the descriptor or from a path that others can open.
  func withMemoryFile(_ bytes: [UInt8], _ body: (_ path: String, _ descriptor: Int32) -> Void) {
    let name = "/sonde-fuzz-\(getpid())"
    let file = unsafe shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
    precondition(file >= 0, "there is no file in memory")
    defer { close(file) }
    unsafe shm_unlink(name)
    precondition(unsafe pwrite(file, bytes, bytes.count, 0) == bytes.count)
    body("/proc/self/fd/\(file)", file)
  }
#endif
