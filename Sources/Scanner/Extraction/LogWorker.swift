import Addresses
import Store
import System

/// What was found in a piece of text.
struct LogFindings: Sendable {
  /// The place of the piece among all of them.
  let number: Int
  /// The input's position among all of them.
  let input: Int
  /// Whether the input ends with this piece.
  var isLast = false
  /// Whether the input could not be opened at all.
  var isUnread = false
  var failure: InputFailure?
  /// How many addresses there are.
  var count = 0
  /// The addresses, where they are still to be compared with earlier ones.
  var found = FoundAddresses()
  /// The lines to write, where they are not.
  var lines: [UInt8] = []
}

/// Searches pieces of text one after the other, on a thread of its own.
actor LogWorker {
  private let executor = BlockingExecutor(label: "sonde.search")
  private let source: LogSource
  private let rules: ExtractionRules
  private let names: [String]
  private var matches: [LogMatch] = []
  /// The room that parts of files are read into.
  private var buffer: [UInt8] = []

  /// The actor's own thread.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes a worker.
  ///
  /// - Parameters:
  ///   - source: Where the pieces come from.
  ///   - rules: What is made of the addresses.
  ///   - names: The names of the inputs.
  init(source: LogSource, rules: ExtractionRules, names: [String]) {
    (self.source, self.rules, self.names) = (source, rules, names)
  }

  /// Searches the next piece.
  ///
  /// - Returns: `nil` when there is none.
  func next() throws(CancellationError) -> LogFindings? {
    guard let job = try source.next() else { return nil }
    var findings = LogFindings(number: job.number, input: job.input)
    switch job.work {
    case .failure(let failure, let isOpen):
      (findings.failure, findings.isLast, findings.isUnread) = (failure, true, !isOpen)
    case .piece(let piece, let isLast):
      findings.isLast = isLast
      search(piece, &findings)
    case .part(let file, let index):
      var part = file.part(index, reusing: &buffer)
      if part.isLast { source.end(file) }
      (findings.isLast, findings.failure) = (part.isLast, part.failure)
      search(part.piece, &findings)
      swap(&buffer, &part.piece.bytes)
    }
    return findings
  }

  private func search(_ piece: LogPiece, _ findings: inout LogFindings) {
    matches.removeAll(keepingCapacity: true)
    piece.search(into: &matches)
    if rules.selects { matches.removeAll { !rules.takes($0.address) } }
    findings.count = matches.count
    if rules.isUnique {
      findings.found = FoundAddresses(matches, in: piece.bytes)
    } else if !rules.counts {
      let encoder = AddressLines(rules, names[findings.input])
      encoder.append(matches.span, of: piece.bytes.span, to: &findings.lines)
    }
  }
}

extension ExtractionRules {
  /// Whether an address is not left out.
  fileprivate func takes(_ address: Address) -> Bool {
    if address.isIPv4 ? omitsIPv4 : omitsIPv6 { return false }
    return !omitsReserved || address.specialPurpose == nil
  }
}
