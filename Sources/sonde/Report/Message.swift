import Providers
import Reachability
import Records
import Scanner

/// What a person is told.
enum Message: Sendable, Equatable {
  /// What went wrong; told also when quiet.
  case error(String)
  /// What the user should know.
  case note(String)
  /// What the progress line shows as well; told where there is none.
  case wait(String)
}

extension Message {
  /// A wait for the quota shorter than this is not worth a word.
  private static let longWait = Duration.seconds(5)

  /// What is told of an event; `nil` for nothing.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - waiting: Addresses that wait for their answers.
  ///   - readsFiles: Whether operands are files, whatever they look like.
  init?(about event: ScanEvent, waiting: Int, readsFiles: Bool = false) {
    switch event {
    case .firstQuestion(let source, let host, let isCautionDue):
      guard isCautionDue, let provider = source.provider,
        let words = Help.privacy(of: provider, at: host)
      else { return nil }
      self = .note(words)
    case .provider(let source, .refused, let message):
      self = .error("\(source.name) refuses to answer: \(message)")
    case .provider(let source, .failing, let message):
      self = .note("\(source.name) is failing: \(message)")
    case .provider(let source, .ok, _): self = .note("\(source.name) answers again")
    case .handover(_, _, _, let message): self = .note(message)
    case .takesNoBatches(let source, let message):
      let words = "\(source.name) has no endpoint for batches (\(message))"
      self = .note("\(words); asking one address at a time")
    case .converted(let input): self = .note("\(input) is UTF-16, and written as UTF-8")
    case .remark(let input, let message): self = .note("\(input): \(message)")
    case .inputError(let failure): self = .error(failure.explained(isFile: readsFiles))
    case .quota(let source, let wait, _):
      guard wait >= Self.longWait else { return nil }
      self = .wait("\(source.name): the quota is spent; waiting \(wait.forPerson)")
    case .network(let transition): self = .note(Self.words(for: transition, waiting: waiting))
    case .unwatched(let reason):
      self = .note("the network is not watched: \(reason)")
    case .gaveUpWaiting(let reason):
      self = .note("addresses go without an answer from here on: \(reason)")
    case .retry, .interface: return nil
    }
  }

  /// What was lost, where and since when, or that it is back.
  private static func words(for transition: NetworkTransition, waiting: Int) -> String {
    let place = transition.interface.map { " on \($0)" } ?? ""
    guard let cause = transition.verdict.cause, let reason = transition.reason else {
      let time = transition.downTime.map { " after \($0.forPerson)" } ?? ""
      return "network is back\(time)\(place); going on"
    }
    let since = Timestamp(seconds: Int64(transition.began.wall / .seconds(1))).wholeSeconds
    return "network lost: \(reason) (\(cause.rawValue)\(place), on the path to "
      + "\(transition.endpoint)) since \(since)"
      + (waiting > 0 ? "; " + count(waiting, "address waits", "addresses wait") : "")
  }

  /// How old a local database is, where that is worth a word.
  init?(aboutAgeOf build: LocalDatabases.Build, now: Int64) {
    guard now - build.date > Self.oldAge else { return nil }
    let date = Timestamp(seconds: build.date).wholeSeconds.prefix(10)
    let days = (now - build.date) / 86_400
    let advice =
      build.source == .libloc
      ? "renew it with 'location update' (Debian's package location)"
      : "get a newer one (location update renews libloc's alone)"
    self = .note("\(build.path) is of \(date), \(days) days old; \(advice)")
  }

  /// A database older than this is worth a word, in seconds.
  private static let oldAge: Int64 = 90 * 86_400
}
