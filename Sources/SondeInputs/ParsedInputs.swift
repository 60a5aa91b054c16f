import SondeRecords
package import SondeSystem

/// An input read as far as needed to recognise its content.
package struct ReadBeginning {
  package let file: InputFile
  package let bytes: [UInt8]
  package let isAtEnd: Bool
  /// Ends waits for more.
  package let interrupt: WakePipe

  package init(file: InputFile, bytes: [UInt8], isAtEnd: Bool, interrupt: WakePipe) {
    (self.file, self.bytes, self.isAtEnd, self.interrupt) = (file, bytes, isAtEnd, interrupt)
  }
}

/// The entries of lists, or of records of an earlier run, as their text is read.
///
/// It may be used by one thread at a time.
package final class ParsedInputs: EntrySource {
  private static let sliceSize = 512 << 10

  private var parser: any InputParser
  private let pick: Pick
  private var inputs: InputSet
  private let progress: ReadCounters
  private let interrupt: WakePipe
  private var position = 0
  private var file: InputFile?
  /// Decodes the current file if it is a capture.
  private var capture: CapturedEntries?
  private var buffer: [UInt8] = []
  private var consumed = 0
  private var isAtEnd = false
  private var hasFailed = false
  private var records: UInt64 = 0
  /// The size of finished inputs on disk.
  private var finishedBytes: UInt64 = 0

  package init(_ inputs: InputSet, _ rules: EntryRules, _ progress: ReadCounters) throws(InputError)
  {
    (self.inputs, self.progress) = (inputs, progress)
    parser = ListParser(rules: rules)
    pick = rules.pick
    interrupt = try WakePipe.forInputs()
  }

  /// Creates a reader of one input, whose beginning was read.
  package init(_ beginning: ReadBeginning, _ parser: any InputParser, _ counters: ReadCounters) {
    (inputs, progress, self.parser) = (InputSet(opening: []), counters, parser)
    (interrupt, pick, position) = (beginning.interrupt, .all, 1)
    (file, buffer, isAtEnd) = (beginning.file, beginning.bytes, beginning.isAtEnd)
  }

  /// Ends all waits, from any thread.
  package var cancel: @Sendable () -> Void { { [interrupt] in interrupt.ring() } }

  package func next(
    limit: Int,
    deadline: ContinuousClock.Instant?
  ) throws(CancellationError) -> Step {
    var entries = EntryBlock()
    while true {
      if Task.isCancelled { throw CancellationError() }
      parse(into: &entries, limit: limit)
      if !entries.isEmpty {
        entries.first = records
        records += UInt64(entries.block.records.count)
        return .delivery(.entries(entries))
      }
      guard file != nil else {
        guard position < inputs.inputs.count else { return .delivery(.end) }
        guard let failure = open(inputs.inputs[position], into: &entries) else { continue }
        return .delivery(.failure(failure))
      }
      if parser.isDone { return .delivery(.end) }
      if let failure = capture?.failure {
        close()
        return .delivery(.failure(failure))
      }
      switch fill(deadline: deadline) {
      case .more, .end: continue
      case .silence: return .delivery(.silence)
      case .failure(let failure): return .delivery(.failure(failure))
      case .interrupted: throw CancellationError()
      }
    }
  }

  /// Parses the buffer's content.
  private func parse(into entries: inout EntryBlock, limit: Int) {
    defer { noteProgress() }
    guard parser.resume(into: &entries, limit: limit), let file else { return }
    if file.isCapture { return parseCapture(of: file, into: &entries, limit: limit) }
    consumed += parseRest(into: &entries, limit: limit)
    if isAtEnd, consumed == buffer.count, parser.resume(into: &entries, limit: limit) { close() }
  }

  private func parseCapture(of file: InputFile, into entries: inout EntryBlock, limit: Int) {
    let name = inputs.inputs[position - 1].name
    let capture = capture ?? CapturedEntries(name, pick)
    self.capture = capture
    capture.take(Array(buffer[consumed...]), isLast: isAtEnd)
    consumed = buffer.count
    while entries.block.records.count < limit, let (occurrence, time) = capture.next() {
      parser.take(occurrence, at: time, into: &entries)
    }
    if isAtEnd, capture.isEmpty, capture.failure == nil { close() }
  }

  private func parseRest(into entries: inout EntryBlock, limit: Int) -> Int {
    // Access to a property lasts as long as a span of it; this one must end before the next.
    let buffer = buffer
    let rest = buffer.span.extracting(consumed..<buffer.count)
    return parser.parse(rest, isLast: isAtEnd, into: &entries, limit: limit)
  }

  private func open(_ input: Input, into entries: inout EntryBlock) -> InputError? {
    parser.begin(input: UInt32(position))
    position += 1
    switch input {
    case .literal(var text):
      progress.update { [position] in $0.mark.turn(to: UInt64(position - 1)) }
      text.withUTF8 { unsafe parser.parse(literal: $0.span, into: &entries) }
      file = nil
      return nil
    case .standardInput, .file:
      do {
        file = InputFile(
          try inputs.open(position - 1),
          name: input.name,
          captures: inputs.captures,
          longestUnpacked: inputs.longestUnpacked
        )
        (isAtEnd, consumed) = (false, 0)
        buffer.removeAll(keepingCapacity: true)
        progress.update { [position] in $0.mark.turn(to: UInt64(position - 1)) }
        return nil
      } catch {
        return error
      }
    }
  }

  private func close() {
    finishedBytes += file?.taken.count ?? 0
    (file, capture, consumed) = (nil, nil, 0)
    buffer.removeAll(keepingCapacity: true)
  }

  private func fill(deadline: ContinuousClock.Instant?) -> Fill {
    guard let file else { return .end }
    buffer.removeFirst(consumed)
    consumed = 0
    let wait = ByteWait(until: deadline, interrupt)
    let fill = file.read(into: &buffer, atMost: max(Self.sliceSize, buffer.count), wait)
    switch fill {
    case .end: isAtEnd = true
    case .failure(let failure):
      (hasFailed, isAtEnd) = (true, true)
      // The last line may be cut within an address, which must not be reported.
      if !failure.isBehindText, !file.isCapture {
        buffer.removeLast(buffer.count - (buffer.span.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0))
      }
    case .more, .silence, .interrupted: break
    }
    noteMark(of: file)
    return fill
  }

  private func noteProgress() {
    let position = file?.position(unused: buffer.count - consumed) ?? 0
    progress.update { [finishedBytes, parser] in
      $0.bytes = finishedBytes + position
      ($0.expanded, $0.toExpand) = parser.expansions
    }
  }

  private func noteMark(of file: InputFile) {
    let isText = !file.isCapture && !buffer.isEmpty
    let endsInLine = isAtEnd && isText && buffer.last != UInt8(ascii: "\n")
    progress.update {
      ($0.mark.length, $0.mark.hash) = (file.taken.count, file.taken.value)
      $0.mark.endsInLine = endsInLine
    }
  }
}

// MARK: - Unparsed text

extension ParsedInputs {
  /// The next bytes that belong to no entry; `nil` if there are no more.
  package func rest() -> [UInt8]? {
    while consumed == buffer.count {
      guard file != nil, !isAtEnd else { return nil }
      switch fill(deadline: nil) {
      case .more, .end, .silence: continue
      case .failure, .interrupted: return nil
      }
    }
    defer { consumed = buffer.count }
    return Array(buffer[consumed...])
  }

  /// Whether the input has been read to its end.
  package var isWhole: Bool { !hasFailed && (file == nil || isAtEnd && consumed == buffer.count) }
}
