import Glibc
import Records

@testable import Scanner

/// A folder of a test's own, removed with this object.
final class ScratchFolder {
  let path: String

  init() throws {
    path = "/tmp/sonde-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    guard unsafe mkdir(path, 0o700) == 0 else { throw OutputError(name: path, code: errno) }
  }

  deinit {
    for name in names { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }

  private(set) var names: Set<String> = []

  /// The path of a file in it.
  func file(_ name: String) -> String {
    names.insert(name)
    return "\(path)/\(name)"
  }

  /// The text of a file in it.
  func text(_ name: String) throws -> String {
    let descriptor = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutputError(name: name, code: errno) }
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    return unsafe String(unsafeUninitializedCapacity: size) { buffer in
      unsafe max(0, pread(descriptor, buffer.baseAddress, size, 0))
    }
  }
}
