import SondeAddresses
public import SondeInputs
public import SondeOutputs
import SondePrivacy
import SondeSystem

/// Finds the addresses of texts on all processors, and writes them in order.
///
/// All queues are bounded: a slow output slows the search.
public actor Extraction {
  private let executor = BlockingExecutor(label: "sonde.extraction")
  private let reader: LogReader<ExtractedSlice>
  private let rules: ExtractionRules
  private let lines: [AddressLines]
  private let sink: any RecordSink
  private let packing: Packing?
  private var seen = DistinctSet()
  /// The number of addresses in the current input.
  private var count = 0
  private var hasWritten = false

  /// The executor of a separate thread, which waits for the search.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates an extraction of inputs without literals, which starts to read.
  ///
  /// Throws ``InputError`` if no more files or threads are available.
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
    let source = try LogSource(
      inputs,
      pick: rules.pick,
      findings: rules.pickFindings,
      refangs: rules.refangs
    )
    reader = try LogReader(source, size: inputs.size, threads: threads) { slice in
      ExtractedSlice(&slice, rules, lines[slice.input])
    }
  }

  /// Runs until the inputs are searched or it is cancelled; the addresses found so far are written.
  ///
  /// `report` is called for each input that fails. The outcome has no counts.
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
        // A compressed file needs at least one member.
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
    // Ends all waits for input.
    reader.cancel()
    return outcome
  }

  private func write(_ lines: [UInt8]) async throws(OutputError) {
    guard !lines.isEmpty else { return }
    _ = try await sink.write(lines, packing)
    hasWritten = true
  }

  /// The lines to write for a slice, and after the last one of an input its count.
  private func lines(of element: LogReader<ExtractedSlice>.Element) -> [UInt8] {
    let (step, lines) = (element.step, lines[element.step.input])
    guard let slice = element.output else { return [] }
    var output = slice.lines
    count += slice.count
    for block in 0..<slice.found.blockCount {
      let new = seen.insert(slice.found, slice.found.block(block))
      count += new.nonzeroBitCount
      guard !rules.counts else { continue }
      for index in slice.found.indices(of: block, new) {
        lines.append(slice.found.addresses[index], zone: slice.found.zones[index], to: &output)
      }
    }
    guard step.isLast else { return output }
    if rules.counts { lines.append(count: count, to: &output) }
    count = 0
    return output
  }
}

/// The result of a slice, created on the thread that searched it.
private struct ExtractedSlice: Sendable {
  /// The addresses, if they must be compared with earlier ones.
  var found = FoundAddresses()
  /// The number of addresses otherwise.
  var count = 0
  /// The lines to write for them.
  var lines: [UInt8] = []

  init(_ slice: inout LogSlice, _ rules: ExtractionRules, _ encoder: AddressLines) {
    if rules.selects { slice.keepMatches { rules.keeps($0) } }
    let replaced = rules.anonymizer.map { slice.addresses(replacedBy: $0) }
    guard !rules.isUnique else {
      found = replaced.map { FoundAddresses($0) } ?? FoundAddresses(slice)
      return
    }
    count = slice.captured?.addresses.count ?? slice.matches.count
    guard !rules.counts else { return }
    if let addresses = replaced ?? slice.captured?.addresses {
      encoder.append(addresses, to: &lines)
    } else {
      encoder.append(slice.matches.span, of: slice.bytes.span, to: &lines)
    }
  }
}

extension LogSlice {
  /// The addresses in order, without zones, each replaced.
  fileprivate func addresses(replacedBy anonymizer: Anonymizer) -> [Address] {
    var addresses = captured?.addresses ?? matches.map(\.address)
    anonymizer.replace(&addresses)
    return addresses
  }
}

extension ExtractionRules {
  fileprivate func keeps(_ address: Address) -> Bool {
    if address.isIPv4 ? omitsIPv4 : omitsIPv6 { return false }
    return !omitsReserved || address.specialPurpose == nil
  }
}
