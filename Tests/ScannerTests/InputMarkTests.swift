import Glibc
import TestSupport
import Testing

@testable import SondeInputs
@testable import SondeLogs
@testable import SondeOutputs

@Suite struct InputMarkTests {
  private let folder: ScratchFolder
  private let inputs: [Input]

  init() throws {
    folder = try ScratchFolder()
    inputs = [.file(folder.file("one")), .literal("9.9.9.9"), .file(folder.file("two"))]
    try write("8.8.8.8\n", to: "one")
    try write("1.1.1.1\n1.0.0.1\n", to: "two")
  }

  private func write(_ text: String, to name: String, _ flags: Int32 = O_TRUNC) throws {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | flags
    let descriptor = unsafe open(folder.file(name), flags, 0o600)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    try #require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  private var job: ScanJob { ScanJob(options: [], inputs: inputs) }

  /// What a journal knows of the inputs once they are read.
  private func mark(_ mode: InputMode) async throws -> InputMark {
    var rules = EntryRules()
    (rules.mode, rules.isJournalled) = (mode, true)
    let reader = try EntryReader(inputs: InputSet(opening: inputs), rules: rules)
    while let delivery = try? await reader.next(limit: 4096, patience: nil) {
      if case .end = delivery { break }
    }
    return reader.progress.mark
  }

  @Test(arguments: [InputMode.list, .log])
  func `an input that has grown behind its last line is what it was`(mode: InputMode) async throws {
    let (earlier, mark) = (job, try await mark(mode))
    try mark.check(inputs, as: earlier, job)
    try write("5.5.5.5\n", to: "two", O_APPEND)
    try mark.check(inputs, as: earlier, job)
  }

  @Test(arguments: [InputMode.list, .log])
  func `an input that has grown within its last line is another`(mode: InputMode) async throws {
    try write("1.1.1.1\n1.0.0.1", to: "two")
    let (earlier, mark) = (job, try await mark(mode))
    try mark.check(inputs, as: earlier, job)
    try write("00\n", to: "two", O_APPEND)
    let error = #expect(throws: ResumeError.self) { try mark.check(inputs, as: earlier, job) }
    #expect(error?.description.contains("two has grown within its last line") == true)
  }

  @Test(
    arguments: [InputMode.list, .log],
    [("one", O_APPEND), ("one", O_TRUNC), ("two", 0), ("two", O_TRUNC)]
  )
  func `an input that has changed otherwise is named`(
    mode: InputMode,
    change: (name: String, flags: Int32)
  ) async throws {
    let (earlier, mark) = (job, try await mark(mode))
    try write("7.7.7.7\n", to: change.name, change.flags)
    let error = #expect(throws: ResumeError.self) { try mark.check(inputs, as: earlier, job) }
    #expect(error?.description.contains("\(change.name) has changed since") == true)
  }

  @Test(arguments: [InputMode.list, .log])
  func `an input that was not there is told where it is now`(mode: InputMode) async throws {
    unsafe unlink(folder.file("one"))
    let (earlier, mark) = (job, try await mark(mode))
    try write("8.8.8.8\n", to: "one")
    let error = #expect(throws: ResumeError.self) { try mark.check(inputs, as: earlier, job) }
    #expect(error?.description.contains("one is only now there") == true)
  }

  @Test func `a mark does not go back while the inputs are read again`() {
    let far = InputMark(finished: 1, input: 1, length: 100, hash: 2, endsInLine: true)
    for (input, length) in [(0, 0), (0, 900), (1, 0), (1, 99), (1, 100)] {
      var mark = far
      mark.advance(to: InputMark(input: UInt64(input), length: UInt64(length), hash: 3))
      #expect(mark == far)
    }
    for (input, length) in [(1, 101), (2, 0)] {
      let further = InputMark(finished: 1, input: UInt64(input), length: UInt64(length), hash: 3)
      var mark = far
      mark.advance(to: further)
      #expect(mark == further)
    }
  }
}
