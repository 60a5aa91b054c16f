import SondeAddresses
public import SondeInputs
public import SondePrivacy
import SondeRecords
import Synchronization

/// The entries of logs, and of literals among them.
///
/// It may be used by one thread at a time; its runs become records in any task.
final class LogInputs: EntrySource {
  private let reader: LogReader<LogFindings>
  private let inputs: [Input]
  private let progress: ReadCounters
  private var literals: ListParser
  private var entries: LogEntries
  /// The run that is not yet fully delivered.
  private var run: LogRun?
  /// An undelivered error that ended an input.
  private var failure: InputError?
  private var taken = SlicedChecksum()
  /// The size of finished inputs on disk.
  private var finishedBytes: UInt64 = 0

  /// Starts to read; throws if no more files or threads are available.
  init(_ inputs: InputSet, _ rules: EntryRules, _ progress: ReadCounters) throws(InputError) {
    (self.inputs, self.progress) = (inputs.inputs, progress)
    let source = try LogSource(
      inputs,
      sums: rules.isJournalled,
      pick: rules.pick,
      findings: rules.pickFindings,
      refangs: rules.refangs,
      keepsLines: rules.sightings?.rules.readsLines ?? false
    )
    reader = try LogReader(source, size: inputs.size) {
      [wantsOffsets = rules.wantsOffsets, sightings = rules.sightings] in
      LogFindings($0, wantsOffsets: wantsOffsets, sightings)
    }
    var literalRules = rules
    // Duplicates are found later, together with preceding entries.
    literalRules.keepsDuplicates = true
    literals = ListParser(rules: literalRules)
    entries = LogEntries(rules: rules)
  }

  var cancel: @Sendable () -> Void { { [reader] in reader.cancel() } }

  func next(limit: Int, deadline: ContinuousClock.Instant?) throws(CancellationError) -> Step {
    while true {
      if let step = rest(limit) { return step }
      switch try reader.next(until: deadline) {
      case .silence: return .delivery(.silence)
      case .end: return .delivery(.end)
      case .element(let element):
        note(element)
        failure = element.step.failure
        switch element.step.kind {
        case .text: run = element.output.map { entries.pick($0) }
        case .literal: return .delivery(.entries(parseLiteral(element.step.input, limit)))
        case .records, .unread: break
        }
      }
    }
  }

  /// The rest of the last element.
  private func rest(_ limit: Int) -> EntryReader.Step? {
    if var rest = run {
      defer {
        progress.update { $0.held = rest.count }
        run = rest.isEmpty ? nil : rest
      }
      if !rest.isEmpty { return .run(rest.removeFirst(limit).entries) }
    }
    var block = EntryBlock()
    _ = literals.resume(into: &block, limit: limit)
    if !block.isEmpty { return .delivery(.entries(entries.pick(block))) }
    defer { failure = nil }
    return failure.map { .delivery(.failure($0)) }
  }

  private func parseLiteral(_ input: Int, _ limit: Int) -> EntryBlock {
    progress.update { $0.mark.turn(to: UInt64(input)) }
    literals.begin(input: UInt32(truncatingIfNeeded: input))
    var (text, block) = (inputs[input].name, EntryBlock())
    text.withUTF8 { unsafe literals.parse(literal: $0.span, into: &block) }
    _ = literals.resume(into: &block, limit: limit)
    return entries.pick(block)
  }

  private func note(_ element: LogReader<LogFindings>.Element) {
    let step = element.step
    guard step.kind == .text else { return }
    switch step.taken {
    case .none: break
    case .slice(let sum): taken.append(sum)
    case .all(let sum): taken = sum
    }
    progress.update { [finishedBytes, taken] progress in
      progress.bytes = finishedBytes + step.position
      progress.mark.turn(to: UInt64(step.input))
      (progress.mark.length, progress.mark.hash) = (taken.count, taken.value)
      progress.mark.endsInLine = step.isLast && element.endsInLine
    }
    guard step.isLast else { return }
    finishedBytes += step.position
    taken = SlicedChecksum()
  }
}

extension EntryReader {
  /// Creates a reader; throws ``InputError`` if no more files or threads are available.
  public init(
    inputs: InputSet,
    rules: EntryRules,
    revealing pseudonyms: Pseudonyms? = nil
  ) throws {
    let counters = ReadCounters(total: inputs.size)
    switch (rules.mode, rules.sightings?.rules.countsTotals ?? false) {
    case (.list, false):
      self.init(try ParsedInputs(inputs, rules, counters), counters, revealing: pseudonyms)
    case (.log, false):
      self.init(try LogInputs(inputs, rules, counters), counters, revealing: pseudonyms)
    case (.list, true):
      let source = HeldEntries(try ParsedInputs(inputs, rules, counters))
      self.init(source, counters, revealing: pseudonyms)
    case (.log, true):
      let source = HeldEntries(try LogInputs(inputs, rules, counters))
      self.init(source, counters, revealing: pseudonyms)
    }
  }
}
