/// Finds the addresses of texts on every core, and writes them in order.
///
/// Bounded everywhere: a slow output stops the search.
public final class Extraction: Sendable {
  private let source: LogSource
  private let workers: [LogWorker]
  private let names: [String]
  private let rules: ExtractionRules
  private let sink: Sink

  /// Makes an extraction that has not begun.
  ///
  /// - Parameters:
  ///   - inputs: The texts, opened, in their order; no literals.
  ///   - rules: What is made of the addresses.
  ///   - sink: Where the lines go.
  ///   - count: How many threads search.
  /// - Throws: ``InputFailure`` when the process can open no more files.
  public init(
    inputs: InputSet,
    rules: ExtractionRules,
    sink: Sink,
    workers count: Int = Processors.available
  ) throws {
    (self.rules, self.sink) = (rules, sink)
    let source = try LogSource(inputs: inputs)
    self.source = source
    let names = inputs.inputs.map(\.name)
    self.names = names
    workers = (0..<max(1, count)).map { _ in
      LogWorker(source: source, rules: rules, names: names)
    }
  }

  /// Runs until the inputs are searched, or until it is cancelled; then what is known is written.
  ///
  /// - Parameter report: Told of inputs that fail.
  /// - Returns: How it ended; there are no counts in it.
  public func run(report: (InputFailure) -> Void) async -> ScanOutcome {
    var outcome = ScanOutcome()
    do {
      try await withTaskCancellationHandler {
        try await work(&outcome, report)
      } onCancel: {
        source.cancel()
      }
    } catch let failure as OutputFailure {
      outcome.outputFailure = failure
    } catch {
      outcome.isInterrupted = true
    }
    return outcome
  }

  private func work(_ outcome: inout ScanOutcome, _ report: (InputFailure) -> Void) async throws {
    try await withThrowingTaskGroup(of: Answer.self) { group in
      var search = Search(workers: workers, rules: rules, names: names)
      do {
        search.ask(&group)
        while let answer = try await group.next() {
          let (lines, failures) = search.take(answer)
          search.ask(&group)
          for failure in failures {
            outcome.inputFailures.append(failure)
            report(failure)
          }
          if !lines.isEmpty { try await sink.write(lines) }
        }
      } catch {
        // Nobody is to wait for more of an input.
        source.cancel()
        throw error
      }
    }
  }
}

/// What a worker came back with; no findings mean that there is nothing left to search.
private typealias Answer = (worker: Int, findings: LogFindings?)

/// The workers of an extraction, what they were asked for, and what they found.
private struct Search {
  private let workers: [LogWorker]
  private var order: FindingsInOrder
  private var asked: [Int]
  private var isAtEnd = false

  init(workers: [LogWorker], rules: ExtractionRules, names: [String]) {
    self.workers = workers
    order = FindingsInOrder(rules: rules, names: names)
    asked = Array(repeating: 0, count: workers.count)
  }

  /// Asks each worker for two pieces, so that it works on while the first is on its way out; when
  /// too much waits for a slow one, for none.
  mutating func ask(_ group: inout ThrowingTaskGroup<Answer, any Error>) {
    guard !isAtEnd, order.waiting < 4 * workers.count else { return }
    for (index, worker) in workers.enumerated() {
      while asked[index] < 2 {
        asked[index] += 1
        group.addTask { (index, try await worker.next()) }
      }
    }
  }

  /// Takes an answer in, and out what is next in order.
  mutating func take(_ answer: Answer) -> (lines: [UInt8], failures: [InputFailure]) {
    asked[answer.worker] -= 1
    if let findings = answer.findings { order.insert(findings) } else { isAtEnd = true }
    return order.take()
  }
}
