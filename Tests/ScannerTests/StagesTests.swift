import SondeAddresses
import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeInputs
@testable import SondeLogs
@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeScanner

private let now = ContinuousClock.now

/// Questions about so many addresses, from an entry on.
private func questions(_ count: Int, from first: UInt64 = 0) -> [Question] {
  (0..<count).map {
    Question(
      number: first + UInt64($0),
      address: Address(ipv4: 0x0808_0000 + UInt32(first) + UInt32($0))
    )
  }
}

@Suite struct AskStageTests {
  @Test func `batches are as large as a request, and go out as many at a time as may`() {
    var stage = AskStage(limit: 2, lookAhead: 0, mayRepeat: false)
    stage.batchLimit = 100
    stage.take(questions(350), unknownIn: nil, now: now)
    let first = [stage.begin(), stage.begin()].map { $0?.addresses.count }
    #expect(first == [100, 100])
    let third = stage.begin()
    #expect(third == nil)
    #expect(stage.isFull)
    stage.finish()
    let next = stage.begin()
    #expect(next?.questions.first?.number == 200)
    #expect(!stage.isFull)
    let left = stage.abandon()
    #expect(left.map(\.questions.count) == [50])
  }

  @Test func `a question waits for others a second at the most, and a silence ends its wait`() {
    var stage = AskStage(limit: 1, lookAhead: 0, mayRepeat: false)
    #expect(stage.patience(now: now) == nil)
    stage.take(questions(1), unknownIn: nil, now: now)
    #expect(stage.patience(now: now) == .milliseconds(200))
    #expect(stage.patience(now: now + .milliseconds(900)) == .milliseconds(100))
    #expect(stage.patience(now: now + .seconds(2)) == .zero)
    stage.take([], unknownIn: nil, now: now + .milliseconds(999))
    let early = stage.begin()
    #expect(early == nil)
    stage.take(questions(1, from: 1), unknownIn: nil, now: now + .seconds(1))
    let late = stage.begin()
    #expect(late?.questions.count == 2)
  }

  @Test func `an address is asked about once a batch where it may repeat`() {
    var stage = AskStage(limit: 1, lookAhead: 0, mayRepeat: true)
    stage.batchLimit = 2
    let question = questions(1)[0]
    stage.take([question, question, question] + questions(1, from: 1), unknownIn: nil, now: now)
    let batch = stage.begin()
    #expect(batch?.addresses.count == 2)
    #expect(batch?.questions.count == 4)
  }

  /// A batch of questions that providers have answered.
  private func answered(_ count: Int, from first: UInt64) -> Batch {
    var batch = Batch(mayRepeat: true)
    var answers = RecordBlock()
    for question in questions(count, from: first) {
      batch.append(question, unknownIn: nil, now: now)
      var record = Record(address: question.address, status: .ok)
      record[.country] = answers.append(text: "\(question.number)")
      answers.records.append(record)
    }
    batch.answers = answers
    return batch
  }

  @Test func `who waits for sources alone holds up no question to providers`() {
    var stage = AskStage(limit: 1, lookAhead: 4 * 128, mayRepeat: false)
    stage.take(answered: (0..<4).map { answered(512, from: $0 * 512) })
    for _ in 0..<4 { #expect(stage.begin()?.answers != nil) }
    stage.take(questions(1, from: 5000), unknownIn: nil, now: now)
    stage.close()
    #expect(stage.begin()?.questions.first?.number == 5000)
    stage.finish()
    for _ in 0..<4 { stage.finishSources() }
    #expect(stage.isIdle)
  }

  @Test func `small batches that wait for their turn at sources go together`() {
    var stage = AskStage(limit: 1, lookAhead: 0, mayRepeat: false)
    for first: UInt64 in 0..<600 { stage.take(answered: [answered(1, from: first)]) }
    #expect(stage.isFull)
    let batches = (0..<2).compactMap { _ -> Batch? in
      defer { stage.finishSources() }
      return stage.begin()
    }
    #expect(batches.map(\.questions.count) == [512, 88])
    #expect(batches[1].questions.first?.number == 512)
    let last = batches[1].answers.flatMap { $0.text(.country, of: $0.records[87]) }
    #expect(last == "599" && stage.isIdle)
  }
}

@Suite struct ReadStageTests {
  private func stage() throws -> ReadStage {
    let reader = try EntryReader(inputs: InputSet(opening: []), rules: EntryRules())
    let encoder = ChunkEncoder(main: RecordEncoder(format: .csv, fields: [.ip]))
    return ReadStage(reader, nil, encoder, written: WrittenEntries())
  }

  private func entries(_ count: Int) -> ReadResult {
    var entries = EntryBlock()
    entries.block.records = Array(repeating: Record(address: nil, status: .invalid), count: count)
    entries.duplicates = 1
    return .entries(SortedEntries(entries, view: nil))
  }

  @Test func `reading stops where as many entries are under way as may be`() throws {
    var stage = try stage()
    var reads = 0
    while stage.mayRead(released: 0) {
      _ = stage.begin(patience: nil)
      stage.take(entries(ReadStage.blockSize))
      reads += 1
    }
    #expect(reads == ReadStage.usualWindow / ReadStage.blockSize)
    let mayReadOn = stage.mayRead(released: 1)
    #expect(mayReadOn)
    #expect(stage.entries == UInt64(ReadStage.usualWindow))
    #expect(stage.duplicates == reads)
    #expect(stage.isIdle && !stage.isFinished)
  }

  @Test func `it is finished when the last of several reads has come to its end`() throws {
    var stage = try stage()
    for _ in 0..<2 {
      #expect(stage.mayRead(released: 0))
      _ = stage.begin(patience: nil)
    }
    stage.take(.end)
    #expect(!stage.mayRead(released: 0))
    #expect(!stage.isFinished)
    stage.take(entries(1))
    #expect(stage.isFinished)
  }
}

@Suite struct WriteStageTests {
  private func stage(_ folder: ScratchFolder, isUnordered: Bool = false) throws -> WriteStage {
    let encoder = RecordEncoder(format: .ndjson, fields: [.ip])
    let outputs = Outputs(main: .init(encoder: encoder, sink: try Sink(path: folder.file("o"))))
    return WriteStage(
      outputs,
      consumer: nil,
      isUnordered: isUnordered,
      journal: nil,
      readMark: { InputMark() }
    )
  }

  private func chunk(_ first: UInt64, _ count: Int) -> Chunk {
    var chunk = Chunk(first: first)
    chunk.count = count
    chunk.tally.ok = count
    chunk.output = Array("\(first) ".utf8)
    return chunk
  }

  @Test func `chunks are written in the order of their entries`() async throws {
    let folder = try ScratchFolder()
    var stage = try stage(folder)
    stage.take([chunk(10, 5), chunk(4, 6)])
    try await stage.write()
    #expect(stage.released == 0)
    stage.take([chunk(0, 4)])
    // Before it is written: what waited for it counts no more.
    #expect(stage.released == 15)
    try await stage.write()
    #expect(stage.tally.ok == 15)
    #expect(try folder.text("o") == "0 4 10 ")
  }

  @Test func `an unordered output takes them as they come`() async throws {
    let folder = try ScratchFolder()
    var stage = try stage(folder, isUnordered: true)
    stage.take([chunk(10, 5), chunk(4, 6)])
    #expect(stage.released == 11)
    try await stage.write()
    #expect(try folder.text("o") == "10 4 ")
  }

  @Test func `an end before its time writes what is known, in order, with gaps`() async throws {
    let folder = try ScratchFolder()
    var stage = try stage(folder)
    stage.take([chunk(10, 5), chunk(2, 6)])
    try await stage.finish()
    #expect(try folder.text("o") == "2 10 ")
    #expect(stage.tally.ok == 11)
  }
}
