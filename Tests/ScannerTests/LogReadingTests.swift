import SondeAddresses
import Glibc
import SondeSystem
import TestSupport
import Testing

@testable import SondeInputs
@testable import SondeLogs
@testable import SondeRecords

@Suite struct LogReadingTests {
  /// Some 3 MB of lines with addresses that come again, in several pieces of a reader.
  private static let log: [UInt8] = {
    var generator = SeededGenerator(seed: 11)
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
      zip(block.block.records, block.block.lines).map { "\($0.place.input):\($0.place.line) \($1)" }
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
    // Not told in full where it fails: that is megabytes.
    let isSame = together == alone
    #expect(isSame)
    let distinct = 5000 + 21 + 1
    let all = 4 * 30_000 + 8 + 2
    #expect(alone.lines.count == (keepsDuplicates ? all : distinct))
    #expect(alone.duplicates == (keepsDuplicates ? 0 : all - distinct))
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["log", "packed"])
  func `lines are counted across slices, of files and of what is packed`(
    name: String
  ) async throws {
    let folder = try ScratchFolder()
    let bytes = name == "log" ? Self.log : Compression.gzip.pack(Self.log)
    try write(bytes, to: folder.file(name))
    var rules = EntryRules()
    (rules.mode, rules.keepsDuplicates) = (.log, true)
    let lines = try await read([.file(folder.file(name))], rules, tasks: 2).lines
    let expected = (1...30_000).flatMap { line in ["0:\(line)", "0:\(line)"] }
    let isCounted = lines.map { String($0.prefix { $0 != " " }) } == expected
    #expect(isCounted)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 7, 64])
  func `a stream in pieces gives what it gives at once`(most: Int) async throws {
    let words = [
      "8.8.8.8", "[2001:db8::1]:443", "Chrome/30.0.0.0", "ip:1.1.1.1", "dead:beef:1.2.3.4",
      "v1.2.3.4", "fe80::2%eth1", "::", "999.1.1.1", "\n", "\r\n", "\n\n", "\"", ",", "a", ".", ":",
      "/", "\0", "é",
    ]
    var generator = SeededGenerator(seed: UInt64(most))
    var text = ""
    for _ in 0..<2000 {
      text += words.randomElement(using: &generator) ?? ""
      if Bool.random(using: &generator) { text += " " }
    }
    var matches: [LogMatch] = []
    searchLog(Array(text.utf8).span, into: &matches)
    let source = BytesInPieces(Array(text.utf8)) { Int.random(in: 1...most, using: &generator) }
    let stream = StreamSlices(source)
    let interrupt = try WakePipe()
    var (slice, found, isLast) = (LogSlice(), [Address](), false)
    while !isLast {
      isLast = try stream.read(into: &slice, interruptedBy: interrupt).isLast
      slice.search()
      found += slice.matches.map(\.address)
    }
    #expect(found == matches.map(\.address))
  }

  @Test(.timeLimit(.minutes(1)), arguments: [InputMode.list, .log])
  func `what is read is marked to the end of the last input`(mode: InputMode) async throws {
    let folder = try ScratchFolder()
    let inputs = [Input.file(folder.file("one")), .literal("9.9.9.9"), .file(folder.file("two"))]
    let lines = (0..<200_000).map { "5.\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)\n" }.joined()
    try write(Array("8.8.8.8\n".utf8), to: folder.file("one"))
    try write(Array(lines.utf8), to: folder.file("two"))
    var rules = EntryRules()
    (rules.mode, rules.isJournalled) = (mode, true)
    let reader = try EntryReader(inputs: InputSet(opening: inputs), rules: rules)
    while case .entries? = try? await reader.next(limit: 4096, patience: nil) {}
    let mark = reader.progress.mark
    #expect(mark.input == 2 && mark.length == UInt64(lines.utf8.count))
    #expect(reader.progress.bytes == reader.progress.total)
  }

  @Test func `a checksum is the same in slices and in pieces`() {
    let size = SlicedChecksum.sliceSize
    let bytes = (0..<3 * size + 777).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    for count in [0, 1, size - 1, size, size + 1, 3 * size, bytes.count] {
      var (whole, sliced) = (SlicedChecksum(), SlicedChecksum())
      for start in stride(from: 0, to: count, by: 100_003) {
        whole.update(bytes.span.extracting(start..<min(count, start + 100_003)))
      }
      for start in stride(from: 0, to: count, by: size) {
        var sum = Checksum()
        unsafe sum.update(bytes.span.extracting(start..<min(count, start + size)).bytes)
        sliced.append(sum)
      }
      #expect(whole.value == sliced.value && whole.count == UInt64(count))
      #expect(sliced.count == UInt64(count))
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `tasks that wait for more of a pipe end when they are cancelled`() async throws {
    let folder = try ScratchFolder()
    let pipe = folder.file("pipe")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let writing = unsafe open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(writing) }
    let text = Array("8.8.8.8 1.1.1.1\nand more, 9.9.9.9".utf8)
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

/// Bytes that come a few at a time, as from a pipe whose writer is slow.
private final class BytesInPieces: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let piece: () -> Int
  private var isSilent = false

  init(_ bytes: [UInt8], piece: @escaping () -> Int) { (rest, self.piece) = (bytes[...], piece) }

  func read(into buffer: inout [UInt8], atMost count: Int, _ wait: ByteWait) -> Fill {
    isSilent.toggle()
    if isSilent, wait.deadline != nil { return .silence }
    guard !rest.isEmpty else { return .end }
    let next = rest.prefix(piece())
    buffer += next
    rest = rest.dropFirst(next.count)
    return .more
  }
}
