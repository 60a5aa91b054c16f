import Glibc
import SondeSystem
import SondeWeb

/// The directories in which Sonde up to 1.3 kept alerts: one for each receiver and endpoint, and
/// more of the same name for programs that ran at the same time.
struct LegacySpools: Sendable {
  private static let prefix = "webhook-"
  private static let suffix = ".json"

  /// The size of the largest alert in bytes.
  private static let largest = 64 << 10

  /// The word in place of an endpoint for alerts of a watchlist.
  private static let watchlist = "watchlist"

  private let parent: String
  private let hash: @Sendable (String) -> String

  /// Those of one receiver; `hash` is the part of a directory's name that its endpoint determines.
  init(in parent: String, hash: @escaping @Sendable (String) -> String) {
    (self.parent, self.hash) = (parent, hash)
  }

  /// Moves their alerts into a queue, in order, and removes them.
  ///
  /// Each file is in one of both at all times. One that an older Sonde still uses is left alone.
  func move(into folder: AlertFolder) {
    for name in names(in: parent).sorted() where name.hasPrefix(Self.prefix) {
      let path = parent + "/" + name
      guard mayMove(path, name), let lock = Self.lock(path) else { continue }
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

  /// Whether a directory has no alerts, or those of the receiver: its name then is the hash of the
  /// endpoint that they are about.
  private func mayMove(_ path: String, _ name: String) -> Bool {
    let files = Self.alerts(in: path)
    guard !files.isEmpty else { return true }
    let endpoint = files.lazy.compactMap { file in
      try? JSON(parsing: WholeFile(path: path + "/" + file).read(atMost: Self.largest))
    }.compactMap { $0["endpoint"]?.text }.first
    let hashed = name.dropFirst(Self.prefix.count).prefix { $0 != "-" }
    return hashed == hash(endpoint ?? Self.watchlist)
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
    let body = try? WholeFile(path: path).read(atMost: largest)
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
