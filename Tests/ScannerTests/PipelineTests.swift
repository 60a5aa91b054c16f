import Addresses
import Records
import Testing

@testable import Scanner

@Suite struct PipelineTests {
  private func pipeline(batchLimit: Int?) throws -> Pipeline {
    let encoder = RecordEncoder(format: .csv, fields: [.ip])
    let outputs = Outputs(main: .init(encoder: encoder, sink: try Sink(path: "/dev/null")))
    return Pipeline(
      encoder: outputs.pieceEncoder,
      writer: OutputWriter(outputs, isJournalled: false),
      rules: Scan.Rules(),
      batchLimit: batchLimit,
      journal: nil,
      readMark: { InputMark() }
    )
  }

  /// Entries to be asked for.
  private func entries(_ count: Int) -> EntryBlock {
    var entries = EntryBlock()
    entries.block.records = (0..<UInt32(count)).map {
      Record(address: Address(ipv4: 0x0808_0000 + $0), status: .ok)
    }
    return entries
  }

  private func answer(_ batch: Batch, _ pipeline: Pipeline) -> [Piece] {
    var block = RecordBlock()
    block.records = batch.addresses.map { Record(address: $0, status: .unknown) }
    return batch.pieces(of: block, with: pipeline.encoder)
  }

  @Test func `a window that was full of waiting entries reads on with the answer it waited for`()
    async throws
  {
    var pipeline = try pipeline(batchLimit: 1000)
    var first: Batch?
    while pipeline.mayRead {
      pipeline.take(entries(1000))
      while let batch = pipeline.nextQuestion() {
        pipeline.questions -= 1
        if first == nil { first = batch } else { pipeline.take(answer(batch, pipeline)) }
      }
      try await pipeline.write()
    }
    pipeline.take(answer(try #require(first), pipeline))
    // Before it is written: nothing else may come that could ask again.
    let mayRead = pipeline.mayRead
    #expect(mayRead)
    try await pipeline.write()
    #expect(pipeline.tally.unknown == 66_000)
  }

  @Test func `a batch that nothing else can fill goes out when it keeps the window full`()
    async throws
  {
    var pipeline = try pipeline(batchLimit: 100)
    var reserved = EntryBlock()
    reserved.block.records = (0..<4096).map { _ in Record(address: nil, status: .reserved) }
    pipeline.take(entries(1))
    while pipeline.mayRead {
      pipeline.closeStuckBatch()
      let early = pipeline.nextQuestion()
      #expect(early == nil)
      pipeline.take(reserved)
    }
    pipeline.closeStuckBatch()
    let batch = pipeline.nextQuestion()
    #expect(batch?.addresses.count == 1)
  }

  @Test func `encoded pieces are written in their order and let the reader go on`() async throws {
    var pipeline = try pipeline(batchLimit: nil)
    var pieces = (0..<20).map { number in
      var piece = Piece(first: UInt64(number) * 4096)
      piece.count = 4096
      piece.tally.ok = 4096
      return piece
    }
    let late = pieces.removeFirst()
    for piece in pieces { pipeline.take(encoded: [piece], entries: 4096, duplicates: 1) }
    try await pipeline.write()
    let mayReadFull = pipeline.mayRead
    pipeline.take(encoded: [late], entries: 4096, duplicates: 0)
    let mayReadOn = pipeline.mayRead
    #expect((mayReadFull, mayReadOn) == (false, true))
    try await pipeline.write()
    #expect(pipeline.tally.ok == 20 * 4096)
    #expect(pipeline.tally.duplicates == 19)
  }
}
