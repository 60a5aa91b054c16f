import Glibc
import SondeSystem
import SwiftOverlayShims  // Optimized builds find timespec in it.

/// The directory of compiled databases, shared by any number of processes.
///
/// A file is renamed after it is complete. A lock, which ends with its process, prevents others
/// from doing the same work; no process waits for it.
struct CompiledFolder: Sendable {
  let path: String

  /// The largest number of compiled databases.
  private static let limit = 8
  private static let ending = ".table"
  private static let unfinished = ".table-new"

  init(_ path: String) { self.path = path }

  /// The compiled form of a database, if it exists and its beginning is valid.
  func table(of identity: DatabaseIdentity) -> CompiledDatabase? {
    let table = open(identity.name + Self.ending)
    return table?.header.identity == identity ? table : nil
  }

  /// Compiles a database unless another process has done so; `nil` while one is compiling it.
  func build(
    _ database: any CompilableDatabase,
    of file: borrowing DatabaseFile,
    identity: DatabaseIdentity
  ) throws(CompiledDatabaseError) -> CompiledDatabase? {
    // The directory is private to the user (XDG Base Directory Specification).
    _ = makePrivateFolders(path)
    let lock = try openLock()
    guard (try? FileLock.tryLock(lock.number)) == true else { return nil }
    if let table = table(of: identity) { return table }
    let name = "\(path)/\(identity.name)"
    let descriptor = unsafe Glibc.open(
      name + Self.unfinished,
      O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
      0o600
    )
    guard descriptor >= 0 else { throw .unwritable(errno: errno) }
    defer { close(descriptor) }
    do throws(CompiledDatabaseError) {
      try DatabaseCompiler.compile(database, of: file, identity: identity, to: descriptor)
    } catch {
      unsafe unlink(name + Self.unfinished)
      throw error
    }
    guard unsafe rename(name + Self.unfinished, name + Self.ending) == 0 else {
      throw .unwritable(errno: errno)
    }
    tidy(keeping: identity.name + Self.ending)
    return CompiledDatabase(descriptor: descriptor)
  }

  /// Compiles a database without a directory.
  static func buildInMemory(
    _ database: any CompilableDatabase,
    of file: borrowing DatabaseFile,
    identity: DatabaseIdentity
  ) throws(CompiledDatabaseError) -> CompiledDatabase? {
    let name = "/sonde-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let descriptor = unsafe shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw .unwritable(errno: errno) }
    unsafe shm_unlink(name)
    defer { close(descriptor) }
    try DatabaseCompiler.compile(database, of: file, identity: identity, to: descriptor)
    return CompiledDatabase(descriptor: descriptor)
  }

  /// Removes a damaged file.
  func remove(_ table: CompiledDatabase) {
    let name = table.header.identity.name + Self.ending
    // Another process may have replaced it meanwhile.
    guard open(name)?.header.sums == table.header.sums else { return }
    unsafe unlink("\(path)/\(name)")
  }

  /// Removes the compiled forms of databases that are gone or were replaced, unless another process
  /// compiles one, which then does so.
  func removeOutdated() {
    guard let lock = try? openLock(), (try? FileLock.tryLock(lock.number)) == true else { return }
    tidy(keeping: "")
  }

  /// Opens a file that belongs to this user; others are not trusted.
  private func open(_ name: String) -> CompiledDatabase? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = unsafe Glibc.open("\(path)/\(name)", flags)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid()
    else { return nil }
    return CompiledDatabase(descriptor: descriptor)
  }

  private func openLock() throws(CompiledDatabaseError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(opening: path + "/tables.lock", O_RDWR | O_CREAT, mode: 0o600)
    } catch {
      throw .unwritable(errno: error.code)
    }
  }
}

// MARK: - Tidying up

extension CompiledFolder {
  /// Removes unneeded files: unfinished ones, since only the holder of the lock has one, those of
  /// missing or replaced databases, and the oldest of the others.
  private func tidy(keeping current: String) {
    let names = names(in: path)
    for name in names where name.hasSuffix(Self.unfinished) { unsafe unlink("\(path)/\(name)") }
    var tables: [(name: String, time: Int)] = []
    for name in names where name.hasSuffix(Self.ending) && name != current {
      var status = stat()
      guard let header = open(name)?.header, header.identity.isAt(header.path),
        unsafe stat("\(path)/\(name)", &status) == 0
      else {
        unsafe unlink("\(path)/\(name)")
        continue
      }
      tables.append((name, status.st_mtim.tv_sec))
    }
    for table in tables.sorted(by: { $0.time > $1.time }).dropFirst(Self.limit - 1) {
      unsafe unlink("\(path)/\(table.name)")
    }
  }
}
