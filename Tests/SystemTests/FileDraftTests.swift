import Glibc
import TestSupport
import Testing

@testable import SondeSystem

@Suite struct FileDraftTests {
  @Test func `a draft takes the place of a file only when it is kept`() throws {
    let folder = try ScratchFolder()
    let file = WholeFile(path: folder.file("a/b"))
    try file.write([1])
    do {
      let draft = try FileDraft(of: file.path)
      try draft.descriptor.write([2, 3])
      #expect(try file.read(atMost: 9) == [1])
    }
    #expect(try file.read(atMost: 9) == [1])
    #expect(names(in: folder.file("a")).filter { !$0.hasPrefix(".") } == ["b"])
    do {
      let draft = try FileDraft(of: file.path)
      try draft.descriptor.write([4])
      try draft.keep()
    }
    #expect(try file.read(atMost: 9) == [4])
    #expect(FileStatus(path: file.path)?.mode == S_IFREG | 0o600)
    #expect(names(in: folder.file("a")).filter { !$0.hasPrefix(".") } == ["b"])
  }

  @Test func `there is one at a time, and what a killed process left is emptied`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a")
    try WholeFile(path: path + ".part").write([7, 7, 7])
    var first: FileDraft? = try FileDraft(of: path)
    #expect(throws: OutputFileError.busy) { try FileDraft(of: path) }
    try first?.descriptor.write([1])
    try first?.keep()
    // Its lock goes with the file, and not with the name.
    let second = try FileDraft(of: path)
    try second.descriptor.write([2])
    first = nil
    #expect(try WholeFile(path: path).read(atMost: 9) == [1])
    try second.keep()
    #expect(try WholeFile(path: path).read(atMost: 9) == [2])
  }

  @Test func `a folder that cannot be made is an error`() throws {
    let folder = try ScratchFolder()
    try WholeFile(path: folder.file("a")).write([1])
    #expect(throws: OutputFileError.failed(SystemError(ENOTDIR))) {
      try FileDraft(of: folder.file("a/b/c"))
    }
  }
}
