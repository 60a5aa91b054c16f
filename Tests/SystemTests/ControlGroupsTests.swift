import Foundation
import TestSupport
import Testing

@testable import SondeSystem

@Suite struct ControlGroupsTests {
  /// A limit, by its file below where the groups are.
  private struct Limit: Equatable {
    let path: String
    let bytes: Int
  }

  /// The smallest limit of a process in the group `/a/b`, where groups have these limits.
  private func limit(
    _ limits: [String: String],
    membership: String = "9:name=systemd:/x\n0::/a/b\n"
  ) throws -> Limit? {
    let folder = try ScratchFolder()
    return try withExtendedLifetime(folder) {
      let root = folder.file("groups")
      for (group, text) in limits {
        let path = root + group
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path + "/memory.max"))
      }
      let file = folder.file("cgroup")
      try Data(membership.utf8).write(to: URL(filePath: file))
      let limit = ControlGroups.smallestLimit(membership: file, root: root)
      return limit.map {
        Limit(path: String($0.path.dropFirst(root.count)), bytes: $0.bytes)
      }
    }
  }

  @Test func `the smallest limit of a group and those that hold it counts`() throws {
    let smallest = Limit(path: "/a/memory.max", bytes: 1000)
    #expect(try limit(["/a": "1000\n", "/a/b": "4096\n"]) == smallest)
    #expect(try limit(["/a": "1000\n", "/a/b": "max\n", "": "2000\n"]) == smallest)
    #expect(try limit(["": "7\n"])?.path == "/memory.max")
    #expect(try limit(["/c": "7\n"]) == nil)
    #expect(try limit(["/a": "max\n"]) == nil)
  }

  @Test func `without groups of the second version there is no limit`() throws {
    #expect(try limit(["/a": "1000\n"], membership: "4:memory:/a\n") == nil)
    #expect(try limit(["/a": "1000\n"], membership: "") == nil)
    #expect(ControlGroups.smallestLimit(membership: "/none", root: "/none") == nil)
  }
}
