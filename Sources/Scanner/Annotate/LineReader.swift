import Records
import System

/// Lines that are ready to go out, or wait for answers.
struct ReadLines: Sendable {
  /// The lines that wait; none where all is known.
  var waiting: [LineBlock] = []
  /// The lines as they go out, where all is known.
  var output: [UInt8] = []
  var counts = LineCounts()
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
  private var finishedBytes: UInt64 = 0

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
  ///   - isSlicing: Whether a line with very many addresses may go out bit by bit.
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
    reader = try LogReader(source, size: inputs.size) { slice in
      texts.settle(&slice)
      return ReadLines(&slice, onlyMatching: onlyMatching, isSlicing: isSlicing)
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
    guard case .element(let element) = try reader.next() else { return nil }
    let step = element.step
    counters.update { $0.bytes = finishedBytes + step.position }
    if step.isLast { finishedBytes += step.position }
    var lines = element.output ?? ReadLines()
    lines.failure = step.failure
    let name = inputs[step.input].name
    if step.isConverted { lines.converted = name }
    lines.remark = step.remark.map { (name, $0) }
    return lines
  }
}

extension ReadLines {
  /// What is longer goes out bit by bit.
  private static let longestOutput = 4 << 20

  /// Takes the lines of a slice whose subjects are settled as far as they can be at once.
  fileprivate init(_ slice: inout LineSlice, onlyMatching: Bool, isSlicing: Bool) {
    let isOpen = slice.block.subjects.openCount > 0
    guard !isOpen, slice.block.outputSize <= Self.longestOutput else {
      let block = slice.block.take()
      waiting = isOpen && isSlicing ? block.sliced() : [block]
      return
    }
    let block = slice.block
    counts = LineCounts(block)
    output.reserveCapacity(block.outputSize)
    block.append(
      block.lines.indices,
      in: 0..<block.bytes.count,
      onlyMatching: onlyMatching,
      to: &output
    )
  }
}
