import Addresses
import Records
import Scanner

/// `sonde extract`: every occurrence of an address in free text, one a line.
enum ExtractCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = try fileInputs(context)
    try context.checkOutputs(against: inputs)
    let sink = try await context.outputs(for: inputs).main.sink
    var rules = EntryParser.Rules()
    rules.mode = .log
    rules.keepsDuplicates = !context.options.unique
    let reader = try EntryReader(inputs: inputs, rules: rules)
    let console = context.console
    let (outcome, signal) = await Signals.cancelling {
      await copy(from: reader, to: sink, console)
    }
    return RunReport(outcome: outcome, counters: RunCounters()).status(
      signal: signal,
      console: console
    )
  }

  /// Operands are files here, whatever they look like.
  private static func fileInputs(_ context: Context) throws(UsageError) -> [Input] {
    guard !context.operands.isEmpty else { return try context.inputs() }
    return context.operands.map { $0 == "-" ? .standardInput : .file($0) }
  }

  private static func copy(
    from reader: EntryReader,
    to sink: Sink,
    _ console: Console
  ) async -> ScanOutcome {
    var outcome = ScanOutcome()
    do {
      while true {
        switch try await reader.next(limit: 512, patience: nil) {
        case .entries(let entries): try await sink.write(lines(of: entries.block))
        case .failure(let failure):
          outcome.inputFailures.append(failure)
          console.error("\(failure.name): \(failure.reason)")
        case .silence: continue
        case .end: return outcome
        }
      }
    } catch let failure as OutputFailure {
      outcome.outputFailure = failure
    } catch {
      outcome.isInterrupted = true
    }
    return outcome
  }

  private static func lines(of block: RecordBlock) -> [UInt8] {
    var lines: [UInt8] = []
    for record in block.records {
      guard let address = record.address else { continue }
      address.append(to: &lines)
      if let zone = block.text(.item, of: record) { lines += "%\(zone)".utf8 }
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }
}

/// `sonde completions`: a script for a shell.
enum CompletionsCommand {
  static func run(_ context: Context) async -> ExitStatus {
    guard let shell = context.operands.first.flatMap(Shell.init(rawValue:)) else { return .usage }
    return await StandardOutput.write(shell.completions)
  }
}
