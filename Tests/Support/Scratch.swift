import Glibc
import SondeSystem

/// A folder of one test or measurement, removed with this object and with all that is in it.
public final class ScratchFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes an empty folder.
  ///
  /// - Throws: `SystemError`.
  public init() throws {
    path = scratchPath()
    guard unsafe mkdir(path, 0o700) == 0 else { throw SystemError() }
  }

  deinit { remove(path) }

  /// The path of a file or folder in it, whether there is one or not.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of what lies in it, sorted.
  public var names: [String] {
    SondeSystem.names(in: path).filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// The bytes of a file in it.
  ///
  /// - Throws: `SystemError`, also when there is no such file.
  public func bytes(_ name: String) throws -> [UInt8] { try contents(of: file(name)) }

  /// The text of a file in it.
  ///
  /// - Throws: `SystemError`, also when there is no such file.
  public func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  /// Removes all that is in it.
  public func removeAll() { for name in names { remove(file(name)) } }
}

/// A file of given bytes, removed with this object.
public final class ScratchFile: Sendable {
  /// Where it is.
  public let path: String

  /// Makes a file.
  ///
  /// - Throws: `SystemError`.
  public init(_ bytes: [UInt8] = []) throws {
    path = scratchPath()
    let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    let written = unsafe write(file.number, bytes, bytes.count)
    guard written == bytes.count else { throw SystemError() }
  }

  deinit { remove(path) }
}

/// The bytes of a file.
///
/// - Throws: `SystemError`, also when there is no such file.
public func contents(of path: String) throws -> [UInt8] {
  let file = try Descriptor(opening: path, O_RDONLY)
  let size = try file.status().size
  return try unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = unsafe pread(file.number, buffer.baseAddress, size, 0)
    guard count >= 0 else {
      count = 0
      throw SystemError()
    }
  }
}

/// A path that nothing else has, be it in another process.
private func scratchPath() -> String {
  "/tmp/sonde-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
}

/// Removes a file, or a folder with all that is in it; links are not followed.
private func remove(_ path: String) {
  guard unsafe Glibc.remove(path) != 0, errno == ENOTEMPTY else { return }
  for name in names(in: path) where name != "." && name != ".." { remove("\(path)/\(name)") }
  unsafe _ = Glibc.remove(path)
}
