import SondeRecords
import Synchronization

extension ProviderChain {
  /// Reports once that addresses remain unanswered for lack of a network.
  func noteLoss(_ block: RecordBlock, _ question: UInt64) {
    // This does not apply to answers of local databases.
    guard !isLocal, merge != nil || providers.allSatisfy({ $0.remote != nil }) else { return }
    guard let lost = block.records.firstIndex(where: { $0.status == .networkLost }) else {
      return handovers.withLock { $0.noteAnswer(question: question) }
    }
    guard handovers.withLock({ $0.noteLoss() }) else { return }
    report(.gaveUpWaiting(reason: block.text(.message, of: block.records[lost]) ?? ""))
  }

  /// Reports when answers come from another provider than before.
  func noteWhoServes(
    _ index: Int,
    _ answers: RecordBlock,
    instead failed: RecordBlock,
    of open: [Int],
    _ question: UInt64
  ) {
    var reason = ""
    if index == 0 {
      guard answers.records.contains(where: { $0.status == .ok && !$0.isCached }) else { return }
    } else {
      // An answer that an earlier provider lacks is not a hand-over.
      let places = zip(answers.records, open).lazy.filter { $0.0.status == .ok }
      let failures = places.map { failed.records[$0.1] }
      guard
        let failure = failures.first(where: { $0.status == .failed || $0.status == .networkLost })
      else { return }
      reason = failed.text(.message, of: failure) ?? failure.status.name
    }
    tell(handovers.withLock { $0.note(index, reason: reason, question: question, now: .now) })
    untold.ring()
  }

  /// Reports the final provider after several hand-overs; until the task is cancelled.
  func watchHandovers() async {
    while !Task.isCancelled {
      let round = untold.round
      let (change, due) = handovers.withLock { ($0.timePassed(now: .now), $0.due) }
      tell(change)
      guard (try? await untold.wait(after: round, until: due)) != nil else { return }
    }
  }

  /// Reports the provider that answers now, if that has changed.
  func tell(_ change: Handovers.Change?) {
    guard let change else { return }
    let (from, to) = (providers[change.from].name, providers[change.to].name)
    // A record's message starts with its provider, which is named here already.
    let prefix = "\(from): "
    let reason =
      change.reason.hasPrefix(prefix) ? change.reason.dropFirst(prefix.count) : change.reason[...]
    let message =
      change.to < change.from
      ? "\(to) takes over again" : "\(to) answers in place of \(from): \(reason)"
    report(.handover(from: from, to: to, isReturn: change.to == 0, message: message))
  }
}
