import SondeInputs
import SondeLogs
import SondeRecords
import SondeSystem

/// Lines that are ready to go out, or wait for answers.
struct ReadLines: Sendable {
  /// The lines that wait; none where all is known.
  var waiting: [LineBlock] = []
  /// The lines as they go out, where all is known.
  var output: [UInt8] = []
  var counts = LineCounts()
  /// Whether they end within a line.
  var endsWithinLine = false
  /// A block with a long line, to be settled slice by slice.
  var long: LineBlock?
  /// What went wrong with the input behind them.
  var failure: InputError?
  /// The name of an input that was UTF-16.
  var converted: String?
  /// What a person should know of the input, with its name.
  var remark: (input: String, message: String)?
}

/// Reads the inputs line by line, and gives out blocks of them in order: those of which everything is
/// known as they are to be written, the others to wait.
///
/// Waiting for them blocks, so the actor has a thread of its own.
actor LineReader {
  private let executor = BlockingExecutor(label: "sonde.lines")
  private let reader: LogReader<ReadLines>
  private let inputs: [Input]
  private let counters: ReadCounters
  private let source: LineSource
  private let texts: EntryTexts
  private let onlyMatching: Bool
  /// The block that is given out slice by slice, and the room for one of these.
  private var slices: BlockSlices?
  private var slice = LineSlice(answers: AnswerTexts(room: 4 << 20))
  /// What is to be told with the last of them.
  private var behindSlices = ReadLines()
  private var finishedBytes: UInt64 = 0
  /// How many steps of the source have been taken.
  private var taken = 0

  /// The actor's own thread.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, opened; no literals.
  ///   - source: Hands out their lines.
  ///   - texts: Finds what can be inserted without waiting.
  ///   - onlyMatching: Whether lines without an address are left out.
  ///   - isSlicing: Whether a long line with very many addresses may go out slice by slice.
  /// - Throws: ``InputError`` when the process can have no more threads.
  init(
    _ inputs: InputSet,
    from source: LineSource,
    _ texts: EntryTexts,
    onlyMatching: Bool,
    isSlicing: Bool
  ) throws(InputError) {
    self.inputs = inputs.inputs
    counters = ReadCounters(total: inputs.size)
    (self.source, self.texts, self.onlyMatching) = (source, texts, onlyMatching)
    reader = try LogReader(source, size: inputs.size) { slice in
      if isSlicing, slice.block.isLong { return ReadLines(long: slice.block.take()) }
      return ReadLines(&slice, texts, onlyMatching: onlyMatching)
    }
  }

  /// How far the reading is.
  nonisolated var progress: ReadProgress { counters.value }

  /// Ends reading, and every wait for it.
  nonisolated func cancel() { reader.cancel() }

  /// Waits for the next lines; `nil` where there are no more.
  ///
  /// - Throws: `CancellationError`, also while waiting.
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
    var lines = ReadLines(&slice, texts, onlyMatching: onlyMatching)
    guard slices?.isAtEnd == true else { return lines }
    slices = nil
    // Before the next one: malloc keeps most of what was in blocks that grew.
    releaseFreeMemory()
    (lines.failure, lines.converted) = (behindSlices.failure, behindSlices.converted)
    lines.remark = behindSlices.remark
    return lines
  }

  /// The next slice of a line that has been given out in part, not settled.
  func restOfLine() -> LineBlock? {
    guard slices?.isWithinLine == true else { return nil }
    return slices?.next()
  }
}

extension ReadLines {
  /// What is longer goes out bit by bit.
  private static let longestOutput = 4 << 20

  /// Takes the lines of a slice, and settles its subjects as far as they can be at once.
  fileprivate init(_ slice: inout LineSlice, _ texts: EntryTexts, onlyMatching: Bool) {
    texts.settle(&slice)
    let size = slice.block.outputSize
    guard slice.block.subjects.openCount == 0, size <= Self.longestOutput else {
      waiting = [slice.block.take()]
      return
    }
    let block = slice.block
    (counts, endsWithinLine) = (LineCounts(block), block.endsWithinLine)
    output.reserveCapacity(size)
    block.append(
      block.lines.indices,
      in: 0..<block.bytes.count,
      onlyMatching: onlyMatching,
      to: &output
    )
  }
}
