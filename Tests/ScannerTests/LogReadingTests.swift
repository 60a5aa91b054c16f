import Glibc
import Records
import Testing

@testable import Scanner

@Suite struct LogReadingTests {
  /// Some 3 MB of lines with addresses that come again, in several pieces of a reader.
  private static let log: [UInt8] = {
    var generator = SeededGenerator(state: 11)
    var text = ""
    for number in 0..<30_000 {
      let host = number * 7919 % 5000
      let rest = String(repeating: "-", count: Int.random(in: 0..<120, using: &generator))
      text += "5.6.\(host >> 8).\(host & 255) \(number) fe80::\(host % 7)%eth\(host % 3) \(rest)\n"
    }
    return Array(text.utf8)
  }()

  private func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    try #require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  /// What several tasks read at once, in the order of the entries, and the number of duplicates.
  private func read(
    _ inputs: [Input],
    _ rules: EntryRules,
    tasks: Int
  ) async throws -> (lines: [String], duplicates: Int) {
    let reader = try EntryReader(inputs: InputSet(opening: inputs), rules: rules)
    let blocks = await withTaskGroup(of: [EntryBlock].self) { group in
      for _ in 0..<tasks {
        group.addTask {
          var blocks: [EntryBlock] = []
          while case .entries(let block)? = try? await reader.next(limit: 4096, patience: nil) {
            blocks.append(block)
          }
          return blocks
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    let sorted = blocks.sorted {
      ($0.first, $0.block.records.count) < ($1.first, $1.block.records.count)
    }
    var next: UInt64 = 0
    for block in sorted {
      #expect(block.first == next)
      next += UInt64(block.block.records.count)
    }
    let lines = sorted.flatMap { block in
      zip(block.block.records, block.block.lines).map { "\($0.input):\($0.line) \($1)" }
    }
    return (lines, sorted.reduce(0) { $0 + $1.duplicates })
  }

  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func `several tasks read what one does, in its order`(keepsDuplicates: Bool) async throws {
    let folder = try ScratchFolder()
    try write(Self.log, to: folder.file("log"))
    var rules = EntryRules()
    (rules.mode, rules.keepsDuplicates) = (.log, keepsDuplicates)
    let log = Input.file(folder.file("log"))
    let inputs = [.literal("5.6.0.0/29"), log, .literal("9.9.9.9"), log, .literal("9.9.9.9")]
    let alone = try await read(inputs, rules, tasks: 1)
    let together = try await read(inputs, rules, tasks: 4)
    #expect(together == alone)
    let distinct = 5000 + 21 + 1
    let all = 4 * 30_000 + 8 + 2
    #expect(alone.lines.count == (keepsDuplicates ? all : distinct))
    #expect(alone.duplicates == (keepsDuplicates ? 0 : all - distinct))
  }

  @Test(.timeLimit(.minutes(1)))
  func `tasks that wait for more of a pipe end when they are cancelled`() async throws {
    let folder = try ScratchFolder()
    let pipe = folder.file("pipe")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let writing = unsafe open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(writing) }
    let text = Array("8.8.8.8 1.1.1.1\n9.9.9.9 and more".utf8)
    try #require(unsafe Glibc.write(writing, text, text.count) == text.count)
    var rules = EntryRules()
    rules.mode = .log
    let reader = try EntryReader(inputs: InputSet(opening: [.file(pipe)]), rules: rules)
    let counts = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          guard case .entries(let block)? = try? await reader.next(limit: 100, patience: nil) else {
            return nil
          }
          return block.block.records.count
        }
      }
      var counts: [Int?] = []
      for await count in group {
        counts.append(count)
        group.cancelAll()
      }
      return counts
    }
    #expect(counts == [2, nil, nil, nil])
  }
}
