import SondeAddresses
public import SondeInputs
public import SondeOutputs
import SondeSystem

/// Finds the addresses of texts on every core, and writes them in order.
///
/// Bounded everywhere: a slow output stops the search.
public actor Extraction {
  private let executor = BlockingExecutor(label: "sonde.extraction")
  private let reader: LogReader<ExtractedSlice>
  private let rules: ExtractionRules
  private let lines: [AddressLines]
  private let sink: any RecordSink
  private let packing: Packing?
  private var seen = DistinctSet()
  /// The addresses of the input at hand.
  private var count = 0
  private var hasWritten = false

  /// The actor's own thread, which waits for the search.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes an extraction, which begins to read.
  ///
  /// - Parameters:
  ///   - inputs: The texts, opened, in their order; no literals.
  ///   - rules: What is made of the addresses.
  ///   - sink: Where the lines go.
  ///   - packing: How they are compressed, if they are.
  ///   - threads: How many threads search at the most.
  /// - Throws: ``InputError`` when the process can have no more files or threads.
  public init(
    inputs: InputSet,
    rules: ExtractionRules,
    sink: any RecordSink,
    packing: Packing? = nil,
    threads: Int = Processors.available
  ) throws {
    (self.rules, self.sink, self.packing) = (rules, sink, packing)
    let lines = inputs.inputs.map { AddressLines(rules, $0.name) }
    self.lines = lines
    let source = try LogSource(inputs)
    reader = try LogReader(source, size: inputs.size, threads: threads) { slice in
      ExtractedSlice(&slice, rules, lines[slice.input])
    }
  }

  /// Runs until the inputs are searched, or until it is cancelled; then what is known is written.
  ///
  /// - Parameter report: Told of inputs that fail.
  /// - Returns: How it ended; there are no counts in it.
  public func run(report: @Sendable (InputError) -> Void) async -> ScanOutcome {
    var outcome = ScanOutcome()
    do {
      try await withTaskCancellationHandler {
        while case .element(let element) = try reader.next() {
          if let failure = element.step.failure {
            outcome.inputErrors.append(failure)
            report(failure)
          }
          try await write(lines(of: element))
        }
        // A file of no member at all is no compressed one.
        if packing != nil, !hasWritten { _ = try await sink.write([], packing) }
        try await sink.end()
      } onCancel: { [reader] in
        reader.cancel()
      }
    } catch let failure as OutputError {
      outcome.outputError = failure
    } catch {
      outcome.isInterrupted = true
    }
    // Nobody is to wait for more of an input.
    reader.cancel()
    return outcome
  }

  private func write(_ lines: [UInt8]) async throws(OutputError) {
    guard !lines.isEmpty else { return }
    _ = try await sink.write(lines, packing)
    hasWritten = true
  }

  /// The lines to write of a slice, and behind the last one of an input its count.
  private func lines(of element: LogReader<ExtractedSlice>.Element) -> [UInt8] {
    let (step, lines) = (element.step, lines[element.step.input])
    guard let slice = element.output else { return [] }
    var output = slice.lines
    count += slice.count
    for block in 0..<slice.found.blockCount { addNew(slice.found, block, lines, to: &output) }
    guard step.isLast else { return output }
    if rules.counts { lines.append(count: count, to: &output) }
    count = 0
    return output
  }

  /// Adds those of a block of addresses that were not there before.
  private func addNew(
    _ found: FoundAddresses,
    _ block: Int,
    _ lines: AddressLines,
    to output: inout [UInt8]
  ) {
    let new = seen.insert(found, found.block(block))
    count += new.nonzeroBitCount
    guard !rules.counts else { return }
    for index in found.indices(of: block, new) {
      lines.append(found.addresses[index], zone: found.zones[index], to: &output)
    }
  }
}

/// What is made of a slice on the thread that searched it.
private struct ExtractedSlice: Sendable {
  /// The addresses, where they are still to be compared with earlier ones.
  var found = FoundAddresses()
  /// How many addresses there are, where they are not.
  var count = 0
  /// The lines to write of them.
  var lines: [UInt8] = []

  init(_ slice: inout LogSlice, _ rules: ExtractionRules, _ encoder: AddressLines) {
    if rules.selects { slice.keepMatches { rules.keeps($0) } }
    guard !rules.isUnique else {
      found = FoundAddresses(slice)
      return
    }
    count = slice.captured?.count ?? slice.matches.count
    guard !rules.counts else { return }
    if let captured = slice.captured {
      encoder.append(captured, to: &lines)
    } else {
      encoder.append(slice.matches.span, of: slice.bytes.span, to: &lines)
    }
  }
}

extension ExtractionRules {
  /// Whether an address is not left out.
  fileprivate func keeps(_ address: Address) -> Bool {
    if address.isIPv4 ? omitsIPv4 : omitsIPv6 { return false }
    return !omitsReserved || address.specialPurpose == nil
  }
}
