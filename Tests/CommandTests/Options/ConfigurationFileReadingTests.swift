import Foundation
import TestSupport
import Testing

@testable import SondeOptions
@testable import sonde

@Suite struct ConfigurationFileReadingTests {
  /// Runs the body with the path of a file to be, in a new folder.
  private func withFolder(
    _ body: (_ path: String) throws -> Void
  ) throws {
    let folder = try ScratchFolder()
    try withExtendedLifetime(folder) { try body(folder.file("config")) }
  }

  @Test func `a file is read with the facts about it`() throws {
    try withFolder { path in
      let bytes = Array(String(repeating: "# a comment\n", count: 5000).utf8)
      let isCreated = FileManager.default.createFile(
        atPath: path,
        contents: Data(bytes),
        attributes: [.posixPermissions: 0o640]
      )
      #expect(isCreated)
      let facts = ConfigurationFile.Facts(mode: 0o640, owner: geteuid(), user: geteuid())
      let expected = ConfigurationFile(path: path, contents: .bytes(bytes, facts))
      #expect(ConfigurationFile.read(path) == expected)
    }
  }

  @Test func `no file is no configuration`() throws {
    try withFolder { path in
      #expect(ConfigurationFile.read(path) == nil)
    }
    #expect(ConfigurationFile.read("/dev/null/sonde/config") == nil)
  }

  @Test func `what systemd loads stands for the machine's file`() throws {
    try withFolder { path in
      try Data("retries = 7".utf8).write(to: URL(filePath: path))
      let folder = String(path.dropLast("/config".count))
      let files = ConfigurationFile.readAll(environment: ["CREDENTIALS_DIRECTORY": folder])
      #expect(files.map(\.path) == [path])
      #expect(files.first?.kind == .credential)
      let none = ConfigurationFile.readAll(environment: ["CREDENTIALS_DIRECTORY": folder + "/none"])
      #expect(!none.contains { $0.kind == .credential })
    }
  }

  @Test func `a folder in its place is told`() throws {
    try withFolder { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      let file = ConfigurationFile.read(path)
      #expect(complaint("scan", file: file) == "\(path): Is a directory")
    }
  }

  @Test func `an endless file in its place is given up`() throws {
    try withFolder { path in
      try FileManager.default.createSymbolicLink(
        atPath: path,
        withDestinationPath: "/dev/zero"
      )
      let file = ConfigurationFile.read(path)
      #expect(complaint("scan", file: file) == "\(path): it is longer than 1 MiB")
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a pipe in its place holds nothing up`() throws {
    try withFolder { path in
      #expect(unsafe mkfifo(path, 0o600) == 0)
      let file = ConfigurationFile.read(path)
      #expect(complaint("scan", file: file) == nil)
    }
  }
}
