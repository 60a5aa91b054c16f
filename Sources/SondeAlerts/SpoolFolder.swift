import Glibc
import SondeOutputs
import SondeStore
import SondeSystem

/// A directory of numbered files, used exclusively by the process that holds its lock.
final class SpoolFolder: Sendable {
  /// The largest number of directories per receiver, for concurrent processes.
  private static let most = 8
  private static let suffix = ".json"
  /// The size of the largest alert in bytes.
  private static let largestFile = 64 << 10
  let path: String

  private let lock: Descriptor
  private let siblings: [String]

  /// Opens or creates the first directory of this name that no other process holds.
  init(in parent: String, name: String) throws(OutputError) {
    let paths = (1...Self.most).map { parent + "/" + name + ($0 == 1 ? "" : "-\($0)") }
    for path in paths {
      try makeFolders(path)
      guard let lock = try Self.lock(path) else { continue }
      (self.path, self.lock) = (path, lock)
      siblings = paths.filter { $0 != path }
      return
    }
    throw OutputError(name: paths[0], code: EBUSY)
  }

  private init(path: String, lock: Descriptor) {
    (self.path, self.lock, siblings) = (path, lock, [])
  }

  /// - Returns: `nil` if another process holds it.
  private static func lock(_ path: String) throws(OutputError) -> Descriptor? {
    let name = path + "/lock"
    do throws(SystemError) {
      let file = try Descriptor(opening: name, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      return try FileLock.tryLock(file.number) ? file : nil
    } catch {
      throw OutputError(name: name, code: error.code)
    }
  }

  // MARK: Files

  func numbers() -> [Int] {
    names(in: path).compactMap { name in
      // At most 18 digits, so that there is always a next number.
      guard name.hasSuffix(Self.suffix), name.utf8.count <= 18 + Self.suffix.utf8.count,
        let number = Int(name.dropLast(Self.suffix.count)), number > 0,
        file(number) == path + "/" + name
      else { return nil }
      return number
    }.sorted()
  }

  /// The content of a file; `nil` if it cannot be read or is no alert.
  func read(_ number: Int) -> [UInt8]? {
    let descriptor = unsafe open(file(number), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.largestFile)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let body = Array(bytes.prefix(count))
    return body.first == UInt8(ascii: "{") && body.last == UInt8(ascii: "}") ? body : nil
  }

  /// Writes a file durably.
  ///
  /// - Returns: Why it could not be written.
  func write(_ body: [UInt8], as number: Int) -> OutputError? {
    let draft = path + "/draft"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
    let descriptor = unsafe open(draft, flags, 0o600)
    guard descriptor >= 0 else { return OutputError(name: draft, code: errno) }
    let count = unsafe Glibc.write(descriptor, body, body.count)
    let code = count < 0 ? errno : count < body.count ? ENOSPC : 0
    let isSafe = code == 0 && fdatasync(descriptor) == 0
    close(descriptor)
    guard isSafe, unsafe rename(draft, file(number)) == 0 else {
      return OutputError(name: draft, code: code == 0 ? errno : code)
    }
    synchronizeFolder(path)
    return nil
  }

  func remove(_ number: Int) { unsafe unlink(file(number)) }

  /// Moves files of ended processes in other directories of this name here, after its own.
  ///
  /// Each file is in one of the directories at all times.
  func adoptAbandoned() {
    var last = numbers().last ?? 0
    for path in siblings {
      guard unsafe access(path, F_OK) == 0, let lock = try? Self.lock(path) else { continue }
      let other = SpoolFolder(path: path, lock: lock)
      let numbers = other.numbers()
      for number in numbers where unsafe rename(other.file(number), file(last + 1)) == 0 {
        last += 1
      }
      guard !numbers.isEmpty else { continue }
      // The new names must be durable before the old ones are removed.
      synchronizeFolder(self.path)
      synchronizeFolder(path)
    }
  }

  /// The name of a file, which sorts by number.
  private func file(_ number: Int) -> String {
    let digits = String(number)
    return path + "/" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
      + Self.suffix
  }
}

/// Creates a directory and its parents, accessible to this user only.
func makeFolders(_ path: String) throws(OutputError) {
  guard let failure = makePrivateFolders(path) else { return }
  throw OutputError(name: failure.name, code: failure.code)
}
