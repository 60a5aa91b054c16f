import Glibc
import SondeRecords
import SondeSystem
import TestSupport
import Testing

@testable import SondeLive

@Suite(.timeLimit(.minutes(1))) struct LiveLogTests {
  private let folder: ScratchFolder
  private var path: String { folder.file("access.log") }

  init() throws { folder = try ScratchFolder() }

  /// A log whose process before was killed: nothing of it is left but its file.
  private func open() throws -> LiveLog {
    let place = LogPlaceOnDisk(
      id: "1",
      name: "access.log",
      path: path,
      file: folder.file("log.db")
    )
    return try LiveLog(place, columns: Field.standard, zone: .utc) { _ in }
  }

  private func append(_ text: String) throws {
    let bytes = Array(text.utf8)
    let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_APPEND)
    #expect(unsafe write(file.number, bytes, bytes.count) == bytes.count)
  }

  private func copy(to other: String) throws {
    let bytes = try Descriptor(opening: path, O_RDONLY)
    let size = try bytes.status().size
    var content = [UInt8](repeating: 0, count: size)
    #expect(unsafe read(bytes.number, &content, size) == size)
    let file = try Descriptor(opening: other, O_WRONLY | O_CREAT | O_EXCL)
    #expect(unsafe write(file.number, content, size) == size)
  }

  private func readAll(_ log: LiveLog) async { while await log.step() {} }

  /// The hits of each address, as they are kept.
  private func kept(_ log: LiveLog) throws -> [String: Int] {
    let database = try LogDatabase(log.file, columns: Field.standard)
    var names: [UInt32: String] = [:]
    try database.forEachAddress { names[$0.number] = "\($0.address)" }
    let bounds = try #require(try database.totals()).totals.bounds
    var hits: [String: Int] = [:]
    for (length, range) in bounds.parts(of: .fiveMinutes, at: Timestamp.now.seconds) {
      try database.forEachStep(length, in: range) { _, bytes in
        StepCounts.forEach(in: bytes) { hits[names[$0] ?? "", default: 0] += Int($1) }
      }
    }
    return hits
  }

  @Test func aNewLogIsReadFromItsEndAndALaterFileFromItsBeginning() async throws {
    let log = try open()
    #expect(await !log.step())
    #expect(await log.info.isWaiting)
    try append("8.8.8.8\n1.1.1.1 1.1.1.1\ntorn 2.2.2.2")
    await readAll(log)
    await log.keep()
    #expect(await log.info.isWaiting == false)
    #expect(await (log.info.lines, log.info.hits) == (2, 3))
    #expect(try kept(log) == ["8.8.8.8": 1, "1.1.1.1": 2])
    try append(" end\n")
    await readAll(log)
    #expect(await log.info.hits == 4)
  }

  @Test func whatIsThereAtTheFirstStartDoesNotCount() async throws {
    // A start that was killed before it looked is none.
    _ = try open()
    try append("8.8.8.8\n")
    let log = try open()
    await readAll(log)
    try append("9.9.9.9\n")
    await readAll(log)
    #expect(await log.info.hits == 1)
  }

  @Test func linesOfTheTimeBetweenCountAtTheirOwnTimes() async throws {
    try append("start\n")
    let first = try open()
    await readAll(first)
    await first.keep()
    let past = Timestamp(seconds: Timestamp.now.seconds - 7200).wholeSeconds
    try append("\(past) 8.8.8.8\n9.9.9.9 without a time\n")
    let log = try open()
    await readAll(log)
    await log.keep()
    #expect(try kept(log) == ["8.8.8.8": 1, "9.9.9.9": 1])
    let database = try LogDatabase(log.file, columns: Field.standard)
    var starts: [Int64] = []
    try database.forEachStep(.fiveMinutes, in: .min..<(.max)) { start, _ in starts.append(start) }
    #expect(starts == [StepLength.fiveMinutes.start(of: Timestamp.now.seconds - 7200)])
  }

  @Test func answersAreKeptWithTheirWords() async throws {
    try append("start\n")
    let log = try open()
    await readAll(log)
    try append("8.8.8.8 here\n")
    await readAll(log)
    #expect(String(decoding: await log.latest(), as: UTF8.self).contains("8.8.8.8 [pending] here"))
    let question = try #require(await log.questions(atMost: 9).first)
    var row: [UInt8] = []
    var block = RecordBlock()
    block.records = [Record(address: question.address, status: .ok)]
    let encoder = RecordEncoder(format: .sqlite, fields: Field.standard, sources: [])
    encoder.append(block.records[0], bytes: block.bytes.span, to: &row)
    let place = LogPlace(latitude: 1, longitude: 2, name: "here")
    let words = Array(" [US]".utf8)
    await log.settle([
      LogAnswer(question, asked: Timestamp.now.seconds, row: row, words: words, place: place)
    ])
    let news = String(decoding: try #require(await log.takeNews()), as: UTF8.self)
    #expect(news.contains("8.8.8.8 [US] here") && news.contains("\"latitude\":1"))
    await log.keep()
    let next = try open()
    #expect(await next.waiting == 0)
    #expect(await next.takeNews() == nil)
  }

  @Test func aLongLineCountsByItsBeginning() async throws {
    try append("start\n")
    let log = try open()
    await readAll(log)
    let rest = String(repeating: "x", count: 3 << 20)
    try append("8.8.8.8 \(rest) 1.1.1.1\n9.9.9.9\n2.2.2.2 \(rest)")
    await readAll(log)
    #expect(await (log.info.lines, log.info.hits) == (3, 3))
    try append("\(rest)\n")
    await readAll(log)
    await log.keep()
    #expect(try kept(log) == ["8.8.8.8": 1, "9.9.9.9": 1, "2.2.2.2": 1])
  }

  /// A writer that rotates in every way and tears lines, and a reader that is killed again and again.
  @Test func noLineIsLostOrDoubled() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    var wanted: [String: Int] = [:]
    try append("start\n")
    var log = try open()
    await readAll(log)
    await log.keep()
    var (rotations, marks) = (0, 0)
    for round in 0..<150 {
      for _ in 0..<Int.random(in: 0..<40, using: &generator) {
        let address = "8.8.\(Int.random(in: 0..<4, using: &generator)).\(round % 7)"
        wanted[address, default: 0] += 1
        let line = "\(address) - round \(round) \(Int.random(in: 0 ... .max, using: &generator))\n"
        let cut = Int.random(in: 0...line.utf8.count, using: &generator)
        try append(String(line.prefix(cut)))
        if Int.random(in: 0..<20, using: &generator) == 0 { await readAll(log) }
        try append(String(line.dropFirst(cut)))
      }
      switch Int.random(in: 0..<7, using: &generator) {
      case 0:
        rotations += 1
        #expect(unsafe rename(path, "\(path).\(rotations)") == 0)
        try append("")
      case 1:
        // As logrotate's `copytruncate` does; what is copied is known by what was read of it.
        try append("mark\n")
        marks += 1
        await readAll(log)
        await log.keep()
        wanted["8.8.9.9", default: 0] += 1
        try append("8.8.9.9 in round \(round)\n")
        rotations += 1
        try copy(to: "\(path).\(rotations)")
        #expect(unsafe truncate(path, 0) == 0)
      case 2: await log.keep()
      case 3: await readAll(log)
      default: break
      }
      if Int.random(in: 0..<3, using: &generator) == 0 { log = try open() }
    }
    log = try open()
    await readAll(log)
    // What was rotated away is over once it has not grown for a while.
    try await waitUntil {
      await readAll(log)
      return await log.info.hits >= wanted.values.reduce(0, +)
    }
    await log.keep()
    #expect(try kept(log) == wanted, "seed \(seed)")
    #expect(await log.info.lines == wanted.values.reduce(marks, +), "seed \(seed)")
  }
}
