import Synchronization

/// Puts what several tasks find in logs into the order of the text, and gives it out in runs.
actor LogOrder {
  /// Whether something is left of earlier pieces; to be seen without waiting for one at work.
  nonisolated let hasRest = Atomic(false)

  private var entries: LogEntries
  private var next = 0
  private var waiting: [Int: [CheckedContinuation<Void, Never>]] = [:]
  /// What is picked, but not yet given out.
  private var rest: [LogRun] = [] {
    didSet { hasRest.store(!rest.isEmpty, ordering: .relaxed) }
  }

  init(rules: EntryRules) { entries = LogEntries(rules: rules) }

  /// Gives out what is left, at most `limit` entries.
  func takeRest(_ limit: Int) -> LogRun? {
    guard var run = rest.first else { return nil }
    let part = run.removeFirst(limit)
    if run.isEmpty { rest.removeFirst() } else { rest[0] = run }
    return part
  }

  /// Waits until as many pieces have been here, and gives out what they left.
  func takeRest(_ limit: Int, after number: Int) async -> LogRun? {
    await turn(of: number)
    return takeRest(limit)
  }

  /// Picks the entries of a piece when all before it have been here, and gives out the first.
  ///
  /// - Parameters:
  ///   - findings: What was found in the piece.
  ///   - number: The place of the piece among all that is read.
  ///   - limit: The most entries to give out; the rest waits.
  /// - Returns: The first entries.
  func pick(_ findings: LogText.Findings, number: Int, limit: Int) async -> LogRun {
    await turn(of: number)
    defer { end(number) }
    var run = entries.pick(findings)
    let part = run.removeFirst(limit)
    if !run.isEmpty { rest.append(run) }
    return part
  }

  /// Leaves out the literals that are known when all before them have been here.
  func pick(_ literals: EntryBlock, number: Int) async -> EntryBlock {
    await turn(of: number)
    defer { end(number) }
    return entries.pick(literals)
  }

  private func turn(of number: Int) async {
    guard number > next else { return }
    await withCheckedContinuation { waiting[number, default: []].append($0) }
  }

  private func end(_ number: Int) {
    next = number + 1
    for task in waiting.removeValue(forKey: next) ?? [] { task.resume() }
  }
}
