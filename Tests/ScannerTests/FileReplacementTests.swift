import Glibc
import SondeSystem
import TestSupport
import Testing

@testable import SondeOutputs

@Suite struct FileReplacementTests {
  private func write(_ text: String, to path: String) async throws {
    let sink = try Sink(path: path)
    try await sink.empty()
    try await sink.write(Array(text.utf8))
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func `a file is replaced when it is whole, and keeps its permissions`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("f")
    try await write("old", to: path)
    unsafe chmod(path, 0o604)
    let replacement = try FileReplacement(of: path)
    try await replacement.sink.write(Array("new".utf8))
    #expect(try folder.text("f") == "old")
    try replacement.commit()
    #expect(try folder.text("f") == "new")
    #expect(mode(path) == 0o604)
    #expect(unsafe access(folder.file("f.upgrade"), F_OK) != 0)
  }

  @Test func `a link stays one, and its file is replaced`() async throws {
    let folder = try ScratchFolder()
    try await write("old", to: folder.file("f"))
    let link = folder.file("link")
    unsafe symlink("f", link)
    let replacement = try FileReplacement(of: link)
    try await replacement.sink.write(Array("new".utf8))
    try replacement.commit()
    #expect(try folder.text("f") == "new")
    var status = stat()
    #expect(unsafe lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `two at once are refused, one after the other are not`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("f")
    try await write("old", to: path)
    _ = folder.file("f.upgrade")
    do {
      let first = try FileReplacement(of: path)
      let failure = #expect(throws: OutputError.self) { try FileReplacement(of: path) }
      #expect(failure?.reason.contains("another") ?? false)
      try await first.sink.write(Array("left".utf8))
    }
    let second = try FileReplacement(of: path)
    try await second.sink.write(Array("b".utf8))
    try second.commit()
    #expect(try folder.text("f") == "b")
  }

  @Test func `a file that has changed meanwhile stays`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("f")
    try await write("old", to: path)
    let replacement = try FileReplacement(of: path)
    _ = folder.file("f.upgrade")
    try await replacement.sink.write(Array("new".utf8))
    // By a program that knows no locks.
    try Descriptor(opening: path, O_WRONLY | O_TRUNC).write("other")
    #expect(throws: OutputError.self) { try replacement.commit() }
    #expect(try folder.text("f") == "other")
    #expect(try folder.text("f.upgrade") == "new")
  }

  @Test func `what is in the way is left alone`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("f")
    try await write("old", to: path)
    try await write("precious", to: folder.file("g"))
    unsafe link(folder.file("g"), folder.file("f.upgrade"))
    #expect(throws: OutputError.self) { try FileReplacement(of: path) }
    #expect(try folder.text("g") == "precious")
  }
}
