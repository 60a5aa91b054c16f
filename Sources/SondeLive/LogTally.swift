/// What was counted since the last transaction.
struct LogTally: Sendable {
  private(set) var steps: [LogStep: StepCounts] = [:]
  private(set) var lines = 0
  private(set) var hits = 0
  /// The addresses that were met for the first time, by their numbers.
  private(set) var newNumbers: [UInt32] = []

  /// The pairs of an address and its hits in a step.
  var pairs: Int { steps.values.reduce(newNumbers.count) { $0 + $1.hits.count } }

  var isEmpty: Bool { lines == 0 && steps.isEmpty }

  mutating func countLine() { lines += 1 }

  mutating func note(new number: UInt32) { newNumbers.append(number) }

  /// Counts a hit in steps.
  mutating func count(_ number: UInt32, in steps: [LogStep]) {
    hits += 1
    for step in steps { self.steps[step, default: StepCounts()].add(1, of: number) }
  }
}
