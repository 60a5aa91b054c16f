import SondeAddresses
package import SondeAsking
package import SondeInputs
package import SondeLogs
package import SondeOptions
import SondeRecords
import SondeReport
import SondeSQLite
package import SondeSystem

/// Reads logs in the order of their times, and prints the alerts that would have been raised.
package struct GuardReplay: Sendable {
  /// The number of hits that are judged together.
  private static let batch = 2048
  /// The bytes of lines that are judged together, since hits keep in memory what was read with them.
  private static let mostBytes = 4 << 20

  /// How a replay ended.
  package struct Outcome: Sendable {
    package let status: ExitStatus
    /// The hits that did not count because of their times.
    package var leftOut = LeftOut()
    /// Whether other hits could count.
    package var hasCounted = false
  }

  private let plan: GuardPlan
  private let period: Range<Int64>?
  private let printer: GuardPrinter
  private let end: GuardEnd
  /// The number of requests at a time.
  private let atOnce: Int

  /// `period` is in milliseconds since 1970 UTC; lines outside it, or without a time, do not count.
  package init(
    _ plan: GuardPlan,
    during period: Range<Int64>?,
    _ printer: GuardPrinter,
    _ end: GuardEnd,
    atOnce: Int
  ) {
    (self.plan, self.period, self.printer) = (plan, period, printer)
    (self.end, self.atOnce) = (end, atOnce)
  }

  /// Reads inputs to their ends; a wait for one ends when `interrupt` is rung.
  package func run(
    _ inputs: [Input],
    _ chain: ProviderChain,
    interruptedBy interrupt: WakePipe
  ) async -> Outcome {
    var (sources, failures): ([TextLines], [InputError]) = ([], [])
    for input in inputs {
      do throws(InputError) {
        sources.append(try TextLines(input, interruptedBy: interrupt))
      } catch {
        failures.append(error)
      }
    }
    var (finder, answers) = (plan.finder, GuardAnswers())
    let now = Timestamp.now.milliseconds
    var lines = MergedLines(sources, plan.lines, &finder)
    var (leftOut, hasCounted) = (LeftOut(), false)
    do {
      let state = try GuardState(path: nil)
      var run = GuardRun(plan.questions, plan.rules, plan.manner, state: state)
      var (hits, isAtEnd, hasForgotten) = ([GuardHit](), false, false)
      while !isAtEnd, !Task.isCancelled {
        isAtEnd = !read(&lines, &finder, now: now, into: &hits, &leftOut)
        hasCounted = hasCounted || !hits.isEmpty
        let open = answers.open(hits, plan.questions)
        if !open.isEmpty { answers.take(try await chain.answers(about: open, atOnce: atOnce)) }
        let forgets = try state.transaction { () throws(SQLiteError) -> Bool in
          try run.take(hits, answers, now: .now)
          return try run.write()
        }
        if forgets, !hasForgotten { end.report(GuardRun.wordsForForgotten) }
        hasForgotten = hasForgotten || forgets
        try await print(state, chain)
        if let words = run.wordsForLack(isAtEnd: isAtEnd) { end.report(words) }
      }
      failures += lines.failures
      end.report(failures)
      let hasFailed = !failures.isEmpty
      let (undecided, long) = (run.undecided, lines.leftOut)
      let status = end.status(undecided: undecided, leftOut: long, hasFailed: hasFailed)
      return Outcome(status: status, leftOut: leftOut, hasCounted: hasCounted)
    } catch {
      return Outcome(status: end.status(of: error))
    }
  }

  /// Reads lines until there are hits enough to be judged together.
  ///
  /// Adds the hits outside the period to `leftOut`; returns whether there may be more.
  private func read(
    _ lines: inout MergedLines,
    _ finder: inout HitFinder,
    now: Int64,
    into hits: inout [GuardHit],
    _ leftOut: inout LeftOut
  ) -> Bool {
    hits.removeAll(keepingCapacity: true)
    var bytes = 0
    while hits.count < Self.batch, bytes < Self.mostBytes {
      let count = hits.count
      guard let line = lines.next(&finder, now: now, into: &hits) else { return false }
      bytes += line.length
      if let period, !(line.time.map { period.contains($0) } ?? false) {
        leftOut.note(hits.count - count, at: line.time, since: period.lowerBound)
        hits.removeLast(hits.count - count)
      }
    }
    return true
  }

  private func print(_ state: GuardState, _ chain: ProviderChain) async throws {
    let most = WaitingAlert.mostAtOnce
    while case let alerts = try state.alerts(for: .printed, behind: 0, atMost: most),
      !alerts.isEmpty
    {
      let subjects = alerts.parts(of: most).flatMap(\.subjects)
      let patience = WaitingAlert.patience
      let answers = try await chain.answers(about: subjects, atOnce: atOnce, within: patience)
      for event in alerts.placed(by: answers).compactMap(\.self) { try await printer.write(event) }
      try state.settle(alerts, for: .printed)
    }
  }
}

extension GuardAnswers {
  /// The subjects of hits that must be asked about, without duplicates.
  func open(_ hits: [GuardHit], _ questions: GuardQuestions) -> [SubjectKey] {
    var (seen, open): (Set<SubjectKey>, [SubjectKey]) = ([], [])
    // A copy of each hit would take longer than the question.
    let hits = hits.span
    for index in hits.indices where questions.needsAnswer(hits[index]) {
      let subject = questions.subject(of: hits[index])
      if answer(about: subject) == nil, seen.insert(subject).inserted { open.append(subject) }
    }
    return open
  }
}
