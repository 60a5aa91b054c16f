import SondeSystem

extension ResolverLoop {
  /// Handles finished questions; returns whether there were any.
  func takeEnds() -> Bool {
    var hasAny = false
    let now = Clocks.steady
    for server in servers.indices {
      let ends = servers[server].datagrams.takeEnds() + (servers[server].stream?.takeEnds() ?? [])
      for end in ends {
        hasAny = true
        if let flight = flights.remove(end.number) { take(end.outcome, of: flight, now: now) }
      }
    }
    return takeProbe(now: now) || hasAny
  }

  private func take(_ outcome: NameChannel.Outcome, of flight: Flight, now: Duration) {
    let pending = flight.pending
    pace.end(isOverload: isOverload(outcome, pending), began: flight.began, now: now)
    switch outcome {
    case .answer(let answer):
      tries.answered(afterSilences: pending.silences)
      noteAnswer(now: now)
      take(answer, to: pending, now: now)
    case .unreadable:
      noteAnswer(now: now)
      // It may have been too long for a datagram.
      var again = pending
      again.isStream = true
      retry(again, "an answer that cannot be read", at: now + Self.retryDelay)
    case .refusedName: take(pending) { $0.takeRefusal(of: $1) }
    case .timedOut, .unreachable:
      switch presence.unanswered(began: flight.began) {
      case .ofTheQuestion: retrySilent(pending)
      case .unknown where isStopped: cancel(pending)
      case .unknown:
        held.append(pending)
        if pending.server == preferred { preferred = (preferred + 1) % servers.count }
        _ = startProbe()
      }
    }
  }

  /// Whether a question indicates overload of the resolver, which only the first attempt does.
  private func isOverload(_ outcome: NameChannel.Outcome, _ pending: Pending) -> Bool {
    guard pending.attempts == 0 else { return false }
    return switch outcome {
    case .timedOut: true
    case .answer(let answer): answer.code == NameAnswer.Code.serverFailure
    case .unreadable, .unreachable, .refusedName: false
    }
  }

  private func take(_ answer: NameAnswer, to pending: Pending, now: Duration) {
    if answer.isTruncated {
      guard !pending.isStream else {
        return retry(pending, "an answer that is cut short", at: now + Self.retryDelay)
      }
      var pending = pending
      pending.isStream = true
      return ready.append(pending)
    }
    switch answer.code {
    case NameAnswer.Code.success, NameAnswer.Code.noSuchName:
      take(pending) { $0.take(answer, to: $1) }
    case NameAnswer.Code.serverFailure: retry(pending, "SERVFAIL", at: now + Self.retryDelay)
    default:
      // Another server may answer what this one refuses.
      let words = NameAnswer.words(of: answer.code)
      guard pending.attempts + 1 < servers.count else { return fail(pending, words) }
      retry(pending, words, at: nil)
    }
  }

  /// Retries unanswered questions, as often as the loss rate justifies.
  private func retrySilent(_ pending: Pending) {
    var pending = pending
    pending.silences += 1
    retry(pending, "no answer", at: nil, atMost: tries.limit)
  }

  private func retry(
    _ pending: Pending,
    _ words: String,
    at due: Duration?,
    atMost limit: Int? = nil
  ) {
    guard pending.attempts + 1 < limit ?? configuration.retries + 1 else {
      return fail(pending, words)
    }
    if isStopped { return cancel(pending) }
    var pending = pending
    pending.attempts += 1
    // The next server, if there is one.
    pending.server = pending.server.map { $0 + 1 }
    guard let due else { return ready.append(pending) }
    delayed.append((due, pending))
  }

  private func fail(_ pending: Pending, _ words: String) {
    let place = pending.server.map { "\(servers[$0 % servers.count].place)" } ?? "the resolver"
    let tries = pending.attempts == 0 ? "" : " (attempt \(pending.attempts + 1))"
    take(pending) { $0.take(.unanswered("\(words) from \(place)\(tries)"), to: $1) }
  }

  /// Records that the resolver answers, so that held questions have failed themselves.
  func noteAnswer(now: Duration) {
    presence.answered(now: now)
    guard !held.isEmpty else { return }
    let questions = held
    held = []
    for pending in questions { retrySilent(pending) }
  }

  /// Sends only questions of started look-ups, and none a second time.
  func stop() {
    isStopped = true
    for place in waiting.removeAll() { place.batch.cancel() }
    let questions = held + delayed.removeAll().map(\.pending)
    held = []
    for pending in questions { cancel(pending) }
  }

  private func cancel(_ pending: Pending) {
    for place in pending.job.places { place.batch.cancel() }
    take(pending) { $0.take(.unanswered("cancelled"), to: $1) }
  }

  /// Ends all questions with the loss of the network, and closes the sockets.
  func loseAll(_ reason: String) {
    presence.lost()
    let questions =
      flights.removeAll().map(\.pending) + held + ready.removeAll()
      + delayed.removeAll().map(\.pending)
    (servers, held, pace) = ([], [], ResolverPace(isPublic: false))
    for pending in questions { take(pending) { $0.take(.networkLost(reason), to: $1) } }
    for (batch, index) in waiting.removeAll() {
      batch.settle(index, HostNames(.networkLost(reason)))
    }
  }

  static func lose(_ batch: NameBatch, _ reason: String) {
    for index in batch.addresses.indices {
      batch.settle(index, HostNames(.networkLost(reason)))
    }
  }
}
