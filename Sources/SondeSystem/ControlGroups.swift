/// The version 2 control groups of this process (cgroups(7)).
public enum ControlGroups {
  /// A memory limit and the file that sets it.
  public struct MemoryLimit: Equatable, Sendable {
    /// The file, `memory.max`.
    public let path: String
    /// The limit in bytes.
    public let bytes: Int
  }

  /// The largest file that is read, in bytes.
  private static let longestFile = 64 << 10

  /// The smallest memory limit of the process's control group and its ancestors.
  ///
  /// The file `membership` names the group; `root` is the mount point of the groups. `nil` if there
  /// is no limit or it cannot be read.
  public static func smallestLimit(
    membership: String = "/proc/self/cgroup",
    root: String = "/sys/fs/cgroup"
  ) -> MemoryLimit? {
    guard let lines = text(of: membership)?.split(separator: "\n"),
      let group = lines.first(where: { $0.hasPrefix("0::/") })
    else { return nil }
    var path = root + group.dropFirst("0::".count)
    var limits: [MemoryLimit] = []
    while path.utf8.count >= root.utf8.count {
      while path.hasSuffix("/") { path.removeLast() }
      let file = path + "/memory.max"
      if let bytes = text(of: file).flatMap({ Int($0.prefix { $0 != "\n" }) }) {
        limits.append(MemoryLimit(path: file, bytes: bytes))
      }
      guard let slash = path.lastIndex(of: "/") else { break }
      path = String(path[..<slash])
    }
    return limits.min { $0.bytes < $1.bytes }
  }

  private static func text(of path: String) -> String? {
    (try? WholeFile(path: path).read(atMost: longestFile)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
