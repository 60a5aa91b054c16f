import Addresses

/// Puts the findings of several workers in order, and makes of them the lines to write.
struct FindingsInOrder {
  private let rules: ExtractionRules
  private let lines: [AddressLines]
  private var findings: [Int: LogFindings] = [:]
  private var next = 0
  /// The input that the last findings came from, and whether all of it is known.
  private var input = -1
  private var isEnded = true
  private var count = 0
  private var seen = SeenEntries()

  /// Makes an order in which nothing has come.
  init(rules: ExtractionRules, names: [String]) {
    self.rules = rules
    lines = names.map { AddressLines(rules, $0) }
  }

  /// How many findings wait for an earlier one.
  var waiting: Int { findings.count }

  /// Adds what a worker found.
  mutating func insert(_ new: LogFindings) { findings[new.number] = new }

  /// Takes out what is next, as far as it is known.
  mutating func take() -> (lines: [UInt8], failures: [InputFailure]) {
    var output: [UInt8] = []
    var failures: [InputFailure] = []
    while let findings = findings.removeValue(forKey: next) {
      next += 1
      if findings.input != input { (input, isEnded, count) = (findings.input, false, 0) }
      // Parts that were asked for beyond the end of a file that was not known yet.
      guard !isEnded else { continue }
      add(findings, to: &output)
      if let failure = findings.failure { failures.append(failure) }
      guard findings.isLast else { continue }
      isEnded = true
      if rules.counts, !findings.isUnread { lines[input].append(count: count, to: &output) }
    }
    return (output, failures)
  }

  private mutating func add(_ findings: LogFindings, to output: inout [UInt8]) {
    guard rules.isUnique else {
      count += findings.count
      if output.isEmpty { output = findings.lines } else { output += findings.lines }
      return
    }
    for block in 0..<findings.found.blockCount { addNew(findings.found, block, to: &output) }
  }

  /// Adds those of a block of addresses that were not there before.
  private mutating func addNew(
    _ found: FoundAddresses,
    _ block: Int,
    to output: inout [UInt8]
  ) {
    let new = seen.insert(found, found.block(block))
    count += new.nonzeroBitCount
    guard !rules.counts else { return }
    for index in found.indices(of: block, new) {
      lines[input].append(found.addresses[index], zone: found.zones[index], to: &output)
    }
  }
}
