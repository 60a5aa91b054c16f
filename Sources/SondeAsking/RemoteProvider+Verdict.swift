import SondeProviders
import SondeReachability
import SondeRecords
import SondeSystem
package import SondeTransfer
import Synchronization

extension RemoteProvider {
  /// Acts on the result of an exchange.
  func conclude(
    _ verdict: ExchangeVerdict,
    _ answers: Answers?,
    of question: ProviderStanding.Question,
    _ ticket: Quota.Ticket
  ) async -> Attempt {
    if !verdict.wasSent { budget.refund() }
    let hasAnswer = answers.map { $0.missing.count < question.addresses } ?? false
    let (step, news) = state.withLock {
      $0.standing.take(verdict, of: question, hasAnswer: hasAnswer, now: .now, wall: .now)
    }
    // First, so that no request is admitted after a refusal.
    switch verdict.meaning {
    case .refused:
      for gate in [batchGate, singleGate] { gate.close(.refused(Refusal(message: verdict.words))) }
    case .retry, .throttled:
      for gate in [batchGate, singleGate] { gate.pause(for: verdict.pause) }
    case .away: sendBack()
    default: break
    }
    tell(news)
    if let path = verdict.path { network?.take(Finding(path)) }
    // Saved before the next request is sent, so that no paid answer is lost.
    if let answers { await cache?.save(answers.block) }
    await gate(question.form).settle(ticket, verdict.quota)
    if let answers { return .answers(answers) }
    if network == nil, verdict.path?.isLoss == true { return .networkLost(lossWords(verdict)) }
    return .unanswered(step, verdict.words, wait: verdict.wait)
  }

  /// The message of a lost record if no monitor watches the path.
  private func lossWords(_ verdict: ExchangeVerdict) -> String {
    verdict.path == .loginPage
      ? "\(verdict.words) in place of \(api.base.authority)" : verdict.words
  }

  /// Reports a change of the provider.
  func tell(_ news: ProviderStanding.News?) {
    switch news {
    case .failing(let message): report(.provider(api.source, .failing, message: message))
    case .answersAgain: report(.provider(api.source, .ok, message: "answers again"))
    case .refused(let message): report(.provider(api.source, .refused, message: message))
    case .takesNoBatches(let words): report(.takesNoBatches(provider: api.source, message: words))
    case nil: return
    }
  }
}

extension Finding {
  package init(_ evidence: PathEvidence) {
    self =
      switch evidence {
      case .answered: .answered
      case .open: .provedOpen
      case .notResolved: .notResolved
      case .timedOut: .timedOut
      case .noRoute: .noRoute
      case .notPermitted: .notPermitted
      case .loginPage: .loginPage
      }
  }
}
