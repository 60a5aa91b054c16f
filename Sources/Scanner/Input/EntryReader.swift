import Glibc
import Records
import Store
import Synchronization
import System

/// Reads inputs one after the other and takes what is there, without waiting for more than it must:
/// it parses lists, and cuts logs into pieces for those who ask to search.
///
/// Reading blocks, so the actor has a thread of its own; it reads nothing unless it is asked, and a
/// slow consumer thereby stops it.
public actor EntryReader {
  /// What the reader came back with.
  public enum Delivery: Sendable {
    /// Entries; perhaps none where they were searched for.
    case entries(EntryBlock)
    /// Nothing came within the time given.
    case silence
    /// An input failed; the others go on.
    case failure(InputFailure)
    /// All inputs are read.
    case end
  }

  static let pieceSize = 512 << 10

  private let executor = BlockingExecutor(label: "sonde.reader")
  private var parser: any InputParser
  /// Puts the pieces of logs in order behind their search.
  private let order: LogOrder?
  private var inputs: InputSet
  private let interrupt: WakePipe
  private var position = 0
  private var file: InputFile?
  private var buffer: [UInt8] = []
  private var consumed = 0
  private var isAtEnd = false
  private var hasFailed = false
  /// The bytes of the inputs that are read, as they lie on the disk.
  private var finishedBytes: UInt64 = 0
  private var delivered = 0
  private var records: UInt64 = 0
  private let counters = Mutex(ReadProgress())

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes a reader that has read nothing.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, opened.
  ///   - rules: What the parser does with them.
  /// - Throws: ``InputFailure`` when the process can open no more files.
  public init(inputs: InputSet, rules: EntryRules) throws {
    self.inputs = inputs
    switch rules.mode {
    case .list: (parser, order) = (ListParser(rules: rules), nil)
    case .log: (parser, order) = (LogParser(rules: rules), LogOrder(rules: rules))
    }
    interrupt = try WakePipe.forInputs()
    counters.withLock { $0.total = inputs.size }
  }

  /// Makes a reader of records, whose beginning has been read.
  public init(_ records: sending OpenedRecords) {
    inputs = InputSet(opening: [])
    (parser, order) = (RecordParser(records.layout, name: records.input.name), nil)
    interrupt = records.interrupt
    position = 1
    file = records.file
    buffer = records.beginning
    isAtEnd = records.isAtEnd
    counters.withLock {
      $0.bytes = records.file.taken.count
      $0.total = records.file.size
    }
  }

  /// How far the reading is.
  public nonisolated var progress: ReadProgress { counters.withLock { $0 } }

  /// Reads the next entries; several tasks may do so at once, and of a log each searches a piece.
  ///
  /// - Parameters:
  ///   - limit: The most records.
  ///   - patience: How long to wait where nothing is there; `nil` is for ever.
  /// - Returns: Entries, or why there are none; ``Delivery/end`` only when all entries are out.
  /// - Throws: `CancellationError`, also while waiting.
  public nonisolated func next(
    limit: Int,
    patience: Duration?
  ) async throws(CancellationError) -> Delivery {
    if let order, order.hasRest.load(ordering: .relaxed), let run = await order.takeRest(limit) {
      return .entries(run.entries())
    }
    let (reading, number) = try await read(limit: limit, patience: patience)
    switch reading {
    case .log(let text):
      guard let order else { return .silence }
      let run = await order.pick(text.search(), number: number, limit: limit)
      return .entries(run.entries())
    case .delivery(.entries(let literals)):
      guard let order else { return .entries(literals) }
      return .entries(await order.pick(literals, number: number))
    case .delivery(.end):
      guard let run = await order?.takeRest(limit, after: number) else { return .end }
      return .entries(run.entries())
    case .delivery(let other): return other
    }
  }

  /// What comes of reading, before a log is searched.
  private enum Reading {
    case delivery(Delivery)
    case log(LogText)
  }

  /// Reads, and says how many blocks and pieces of logs came before.
  private func read(
    limit: Int,
    patience: Duration?
  ) async throws(CancellationError) -> (Reading, Int) {
    let interrupt = interrupt
    do {
      return try await withTaskCancellationHandler {
        let number = delivered
        return (try read(limit: limit, deadline: patience.map { ContinuousClock.now + $0 }), number)
      } onCancel: {
        interrupt.ring()
      }
    } catch {
      throw CancellationError()
    }
  }

  private func read(limit: Int, deadline: ContinuousClock.Instant?) throws -> Reading {
    var entries = EntryBlock()
    while true {
      try Task.checkCancellation()
      if let text = parse(into: &entries, limit: limit) {
        delivered += 1
        return .log(text)
      }
      if !entries.isEmpty {
        delivered += 1
        entries.first = records
        records += UInt64(entries.block.records.count)
        return .delivery(.entries(entries))
      }
      guard file != nil else {
        guard position < inputs.inputs.count else { return .delivery(.end) }
        if let failure = open(inputs.inputs[position], into: &entries) {
          return .delivery(.failure(failure))
        }
        continue
      }
      if parser.isDone { return .delivery(.end) }
      switch fill(deadline: deadline) {
      case .more, .end: continue
      case .silence: return .delivery(.silence)
      case .failure(let failure): return .delivery(.failure(failure))
      case .interrupted: throw CancellationError()
      }
    }
  }

  /// Parses what is in the buffer; the text that is still to be searched, if it is of a log.
  private func parse(into entries: inout EntryBlock, limit: Int) -> LogText? {
    guard parser.resume(into: &entries, limit: limit), file != nil else { return nil }
    let rest = buffer.span.extracting(consumed..<buffer.count)
    consumed += parser.parse(rest, isLast: isAtEnd, into: &entries, limit: limit)
    noteProgress()
    var text: LogText?
    if let extent = entries.log {
      // The buffer goes with the piece, which begins where it does; a copy would cost more.
      let rest = Array(buffer[consumed...])
      text = LogText(extent, in: buffer)
      (buffer, consumed) = (rest, 0)
    }
    if isAtEnd, consumed == buffer.count, parser.resume(into: &entries, limit: limit) { close() }
    return text
  }

  private func open(_ input: Input, into entries: inout EntryBlock) -> InputFailure? {
    parser.begin(input: UInt32(position))
    position += 1
    switch input {
    case .literal(let text):
      var text = text
      text.withUTF8 { unsafe parser.parse(literal: $0.span, into: &entries) }
      file = nil
      counters.withLock { $0.mark.input = UInt64(position) }
      return nil
    case .standardInput, .file:
      do {
        file = InputFile(try inputs.open(position - 1), name: input.name)
        (isAtEnd, consumed) = (false, 0)
        buffer.removeAll(keepingCapacity: true)
        return nil
      } catch {
        return error
      }
    }
  }

  private func noteProgress() {
    let position = file?.position(unused: buffer.count - consumed) ?? 0
    counters.withLock {
      $0.bytes = finishedBytes + position
      ($0.expanded, $0.toExpand) = parser.expansions
    }
  }

  private func close() {
    counters.withLock { $0.mark.finishInput() }
    finishedBytes += file?.taken.count ?? 0
    file = nil
    consumed = 0
    buffer.removeAll(keepingCapacity: true)
  }

  private func fill(deadline: ContinuousClock.Instant?) -> Fill {
    guard let file else { return .end }
    buffer.removeFirst(consumed)
    consumed = 0
    let fill = file.read(
      into: &buffer,
      atMost: max(Self.pieceSize, buffer.count),
      until: deadline,
      interruptedBy: interrupt
    )
    switch fill {
    case .end: isAtEnd = true
    case .failure(let failure):
      hasFailed = true
      // The last line may be cut in the middle of an address, which would be another one.
      isAtEnd = true
      if !failure.isBehindText {
        buffer.removeLast(buffer.count - (buffer.span.lastNewline.map { $0 + 1 } ?? 0))
      }
    case .more, .silence, .interrupted: break
    }
    let endsInLine = isAtEnd && !buffer.isEmpty && buffer.last != UInt8(ascii: "\n")
    counters.withLock { counters in
      counters.mark.input = UInt64(position - 1)
      counters.mark.length = file.taken.count
      counters.mark.hash = file.taken.value
      counters.mark.endsInLine = endsInLine
    }
    return fill
  }
}

// MARK: - What is not parsed

extension EntryReader {
  /// The next bytes that no entry has come from; `nil` where there are no more to be had.
  ///
  /// A pipe gives none in a cancelled task, for which it could keep waiting.
  func rest() async -> [UInt8]? {
    let interrupt = interrupt
    return await withTaskCancellationHandler {
      while consumed == buffer.count {
        guard file != nil, !isAtEnd else { return nil }
        switch fill(deadline: nil) {
        case .more, .end, .silence: continue
        case .failure, .interrupted: return nil
        }
      }
      defer { consumed = buffer.count }
      return Array(buffer[consumed...])
    } onCancel: {
      interrupt.ring()
    }
  }

  /// Whether the input has been read to its end.
  var isWhole: Bool { !hasFailed && (file == nil || isAtEnd && consumed == buffer.count) }
}
