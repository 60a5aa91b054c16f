import SondeInputs
import SondeLogs
import SondeRecords
import SondeSystem

/// Lines that are ready to be written, or wait for answers.
struct ReadLines: Sendable {
  /// The waiting lines; empty if all are known.
  var waiting: [LineBlock] = []
  /// The finished output, if all are known.
  var output: [UInt8] = []
  var counts = LineCounts()
  /// Whether they end within a line.
  var endsWithinLine = false
  /// Whether they begin a line, even if an earlier input ends within one.
  var beginsLine = false
  /// A block with a long line, to be settled by slices.
  var long: LineBlock?
  /// The error of the input after them.
  var failure: InputError?
  /// The name of an input that was converted from UTF-16.
  var converted: String?
  /// A remark about an input for people.
  var remark: (input: String, message: String)?
}

/// Reads inputs by lines, and delivers blocks in order: known ones as output, others to wait.
///
/// Waiting for input blocks, so the actor has its own thread.
actor LineReader {
  private let executor = BlockingExecutor(label: "sonde.lines")
  private let reader: LogReader<ReadLines>
  private let inputs: [Input]
  private let counters: ReadCounters
  private let source: LineSource
  private let texts: EntryTexts
  /// The block being delivered by slices, with a buffer.
  private var slices: BlockSlices?
  private var slice = LineSlice(answers: AnswerTexts(room: 4 << 20))
  /// The results to deliver with the last slice.
  private var behindSlices = ReadLines()
  private var finishedBytes: UInt64 = 0
  /// The number of steps of the source taken.
  private var taken = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Starts to read inputs without literals; throws if no more threads are available.
  ///
  /// `isSlicing` permits a long line with many addresses to be written by slices.
  init(
    _ inputs: InputSet,
    from source: LineSource,
    _ texts: EntryTexts,
    isSlicing: Bool
  ) throws(InputError) {
    self.inputs = inputs.inputs
    counters = ReadCounters(total: inputs.size)
    (self.source, self.texts) = (source, texts)
    reader = try LogReader(source, size: inputs.size) { slice in
      if isSlicing, slice.block.isLong { return ReadLines(long: slice.block.take()) }
      return ReadLines(&slice, texts)
    }
  }

  nonisolated var progress: ReadProgress { counters.value }

  /// Ends reading and all waits.
  nonisolated func cancel() { reader.cancel() }

  /// Waits for the next lines, `nil` at the end; throws `CancellationError` also while waiting.
  nonisolated func next() async throws -> ReadLines? {
    try await withTaskCancellationHandler {
      try await read()
    } onCancel: {
      cancel()
    }
  }

  private func read() throws(CancellationError) -> ReadLines? {
    if let lines = readSlice() { return lines }
    source.allowLongLine(behind: taken)
    guard case .element(let element) = try reader.next() else { return nil }
    let step = element.step
    taken = step.number + 1
    counters.update { $0.bytes = finishedBytes + step.position }
    if step.isLast { finishedBytes += step.position }
    var lines = element.output ?? ReadLines()
    lines.failure = step.failure
    let name = inputs[step.input].name
    if step.isConverted { lines.converted = name }
    lines.remark = step.remark.map { (name, $0) }
    guard let block = lines.long else { return lines }
    lines.long = nil
    (slices, behindSlices) = (BlockSlices(block), lines)
    return readSlice()
  }

  /// The next slice of a block with a long line.
  private func readSlice() -> ReadLines? {
    guard let block = slices?.next() else { return nil }
    slice.begin()
    slice.block = block
    var lines = ReadLines(&slice, texts)
    guard slices?.isAtEnd == true else { return lines }
    slices = nil
    // Before the next one, since malloc keeps most of the memory of growing blocks.
    releaseFreeMemory()
    (lines.failure, lines.converted) = (behindSlices.failure, behindSlices.converted)
    lines.remark = behindSlices.remark
    return lines
  }

  /// The next slice of a partially written line, not settled.
  func restOfLine() -> LineBlock? {
    guard slices?.isWithinLine == true else { return nil }
    return slices?.next()
  }
}

extension ReadLines {
  /// Longer output is written in parts.
  private static let longestOutput = 4 << 20

  /// Takes the lines of a slice, and settles known subjects.
  fileprivate init(_ slice: inout LineSlice, _ texts: EntryTexts) {
    texts.settle(&slice)
    let size = slice.block.outputSize
    guard slice.block.subjects.openCount == 0, size <= Self.longestOutput else {
      waiting = [slice.block.take()]
      return
    }
    for line in slice.block.lines.indices { slice.block.decide(line, by: texts.rules) }
    let block = slice.block
    counts = LineCounts(block, insertsNothing: texts.rules.insertsNothing)
    (endsWithinLine, beginsLine) = (block.endsWithinLine, block.beginsLine)
    output.reserveCapacity(size)
    block.append(
      block.lines.indices,
      in: 0..<block.bytes.count,
      dropsOthers: texts.rules.dropsOthers,
      to: &output
    )
  }
}
