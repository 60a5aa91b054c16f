import SondeAddresses
package import SondeAsking
package import SondeInputs
package import SondeOptions
import SondeRecords
import SondeReport
import SondeSQLite
package import SondeSystem

/// Reads logs in the order of their times, and prints the alerts that would have been raised.
package struct GuardReplay: Sendable {
  /// The number of hits that are judged together.
  private static let batch = 2048

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

  /// Reads inputs to their ends, and returns the exit status; a wait for one ends when `interrupt` is
  /// rung.
  package func run(
    _ inputs: [Input],
    _ chain: ProviderChain,
    interruptedBy interrupt: WakePipe
  ) async -> ExitStatus {
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
    var lines = MergedLines(sources, plan.lines, &finder, now: now)
    do {
      let state = try GuardState(path: nil)
      let run = GuardRun(plan.questions, plan.rules, plan.manner, state: state)
      var isAtEnd = false
      while !isAtEnd, !Task.isCancelled {
        var hits: [GuardHit] = []
        while hits.count < Self.batch {
          guard let next = lines.next(&finder, now: now) else {
            isAtEnd = true
            break
          }
          if let period, !(next.time.map { period.contains($0) } ?? false) { continue }
          hits += next.hits
        }
        let open = answers.open(hits, plan.questions)
        answers.take(try await chain.answers(about: open, atOnce: atOnce))
        try state.transaction { () throws(SQLiteError) in
          for hit in hits {
            try run.take(hit, answers.answer(about: plan.questions.subject(of: hit)), now: .now)
          }
          _ = try run.write()
        }
        try await print(state, chain)
      }
      failures += lines.failures
      end.report(failures)
      let hasFailed = !failures.isEmpty
      return end.status(undecided: run.undecided, leftOut: lines.leftOut, hasFailed: hasFailed)
    } catch {
      return end.status(of: error)
    }
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
    var seen: Set<SubjectKey> = []
    return hits.filter(questions.needsAnswer).map(questions.subject).filter { subject in
      answer(about: subject) == nil && seen.insert(subject).inserted
    }
  }
}
