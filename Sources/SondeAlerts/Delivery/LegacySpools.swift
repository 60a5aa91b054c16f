import Glibc
import SondeSystem

/// The directories in which Sonde up to 1.3 kept alerts: one for each receiver and endpoint, and
/// more of the same name for programs that ran at the same time.
struct LegacySpools: Sendable {
  private static let most = 8
  private static let suffix = ".json"

  private let paths: [String]

  /// Those of the given hashes of a receiver and an endpoint.
  init(in parent: String, hashes: [String]) {
    paths = hashes.flatMap { hash in
      (1...Self.most).map { "\(parent)/webhook-\(hash)\($0 == 1 ? "" : "-\($0)")" }
    }
  }

  /// Moves their alerts into a queue, in order, and removes them.
  ///
  /// Each file is in one of both at all times. One that an older Sonde still uses is left alone.
  func move(into folder: AlertFolder) {
    for path in paths where unsafe access(path, F_OK) == 0 {
      guard let lock = Self.lock(path) else { continue }
      let files = Self.alerts(in: path)
      guard files.isEmpty || makePrivateFolders(folder.path) == nil else { return }
      var last = folder.lastNumber(of: folder.waiting())
      for file in files where folder.take(path + "/" + file, as: AlertName(number: last + 1)) {
        last += 1
      }
      // The new names must be durable before the old ones are gone.
      synchronizeFolder(folder.path)
      synchronizeFolder(path)
      Self.remove(path, holding: lock)
    }
  }

  /// - Returns: `nil` if another process holds it.
  private static func lock(_ path: String) -> Descriptor? {
    guard
      let file = try? Descriptor(
        opening: path + "/lock",
        O_RDWR | O_CREAT | O_NOFOLLOW,
        mode: 0o600
      ), (try? FileLock.tryLock(file.number)) == true
    else { return nil }
    return file
  }

  private static func alerts(in path: String) -> [String] {
    let numbered = names(in: path).compactMap { name -> (number: Int, name: String)? in
      guard name.hasSuffix(suffix), let number = Int(name.dropLast(suffix.count)), number > 0,
        isWhole(path + "/" + name)
      else { return nil }
      return (number, name)
    }
    return numbered.sorted { $0.number < $1.number }.map(\.name)
  }

  /// Whether a file has a whole JSON object.
  private static func isWhole(_ path: String) -> Bool {
    let body = try? WholeFile(path: path).read(atMost: 64 << 10)
    return body?.first == UInt8(ascii: "{") && body?.last == UInt8(ascii: "}")
  }

  /// Removes a directory, unless other files lie in it.
  private static func remove(_ path: String, holding lock: Descriptor) {
    _ = unsafe unlink(path + "/draft")
    guard Set(names(in: path)).isSubset(of: [".", "..", "lock"]) else { return }
    unsafe unlink(path + "/lock")
    unsafe rmdir(path)
  }
}
