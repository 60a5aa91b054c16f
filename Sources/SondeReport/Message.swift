import SondeAsking
import SondeCatalog
import SondeDatabases
import SondeOptions
import SondeProviders
import SondeReachability
import SondeRecords
import SondeSystem

enum Message: Sendable, Equatable {
  case error(String)
  /// Information for the user.
  case note(String)
  /// Also shown by the progress line; reported only without one.
  case wait(String)
}

extension Message {
  /// Shorter waits for the quota are not reported.
  private static let longWait = Duration.seconds(5)

  /// The message for an event, if any.
  ///
  /// `waiting` addresses have no answer yet; `readsFiles` is true if all operands are files.
  init?(about event: ScanEvent, waiting: Int, readsFiles: Bool = false) {
    switch event {
    case .firstQuestion(let source, let host, let isCautionDue):
      guard isCautionDue, let provider = source.provider,
        let words = Help.privacy(of: provider, at: host)
      else { return nil }
      self = .note(words)
    case .disclosure(let source, let host):
      self = .note("\(host) learns the addresses that --with \(source) is asked about")
    case .provider(let source, let state, let message):
      self.init(about: source.name, state, message)
    case .registry(let name, let state, let message): self.init(about: name, state, message)
    case .directoriesUnkept(let reason):
      let words = "IANA's lists of registries are fetched in each run"
      self = .note("\(words): cannot keep them: \(reason)")
    case .handover(_, _, _, let message): self = .note(message)
    case .takesNoBatches(let source, let message):
      let words = "\(source.name) has no endpoint for batches (\(message))"
      self = .note("\(words); asking one address at a time")
    case .converted(let input): self = .note("\(input) is UTF-16, and written as UTF-8")
    case .remark(let input, let message): self = .note("\(input): \(message)")
    case .inputError(let failure): self = .error(failure.explained(isFile: readsFiles))
    case .quota(let source, let wait, _): self.init(waiting: wait, for: source.name)
    case .registryQuota(let name, let wait, _): self.init(waiting: wait, for: name)
    case .network(let transition): self = .note(Self.words(for: transition, waiting: waiting))
    case .unwatched(let reason):
      self = .note("the network is not watched: \(reason)")
    case .gaveUpWaiting(let reason):
      self = .note("addresses go without an answer from here on: \(reason)")
    case .retry, .interface: return nil
    }
  }

  /// The message about the state of a provider or source.
  private init(about name: String, _ state: ScanEvent.ProviderState, _ message: String) {
    switch state {
    case .refused: self = .error("\(name) refuses to answer: \(message)")
    case .failing: self = .note("\(name) is failing: \(message)")
    case .ok: self = .note("\(name) answers again")
    }
  }

  private init?(waiting wait: Duration, for name: String) {
    guard wait >= Self.longWait else { return nil }
    self = .wait("\(name): the quota is spent; waiting \(wait.forPerson)")
  }

  /// What was lost, where and since when, or its return.
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

  /// The age of a local database, if it is old.
  init?(aboutAgeOf build: LocalDatabases.Build, now: Int64) {
    guard now - build.date > Self.oldAge else { return nil }
    let date = Timestamp(seconds: build.date).wholeSeconds.prefix(10)
    let days = (now - build.date) / 86_400
    let advice =
      if build.source == .libloc {
        "renew it with 'location update' (Debian's package location)"
      } else if let database = PublishedDatabase(path: build.path) {
        "renew it with 'sonde tables update \(database.name)'"
      } else {
        "get a newer one (location update renews libloc's alone)"
      }
    self = .note("\(build.path) is of \(date), \(days) days old; \(advice)")
  }

  /// In seconds; older databases cause a warning.
  private static let oldAge: Int64 = 90 * 86_400
}

extension ScanEvent {
  /// The event as a line of the events file; `nil` if it is only shown to people.
  package var json: [UInt8]? {
    switch self {
    case .quota(let source, let wait, let remaining):
      return Self.quota(of: source.name, wait, remaining)
    case .registryQuota(let name, let wait, let remaining):
      return Self.quota(of: name, wait, remaining)
    case .provider(let source, let state, let message):
      return Self.state(of: source.name, state, message)
    case .registry(let name, let state, let message):
      return Self.state(of: name, state, message)
    case .retry(let provider, let attempt, let wait, let message):
      var object = JSONObject(event: "retry", of: provider)
      object.add("attempt", attempt)
      object.add("wait_ms", wait.milliseconds)
      object.add("message", message)
      return object.line
    case .network(let transition): return transition.event.line
    case .interface(let change): return change.event.line
    case .handover(let from, let to, _, let message):
      var object = JSONObject(event: "handover")
      object.add("from", from)
      object.add("to", to)
      object.add("message", message)
      return object.line
    case .unwatched, .gaveUpWaiting, .disclosure, .firstQuestion, .takesNoBatches, .inputError,
      .converted,
      .remark, .directoriesUnkept:
      return nil
    }
  }

  private static func quota(of name: String, _ wait: Duration, _ remaining: Int) -> [UInt8] {
    var object = JSONObject(event: "quota", of: name)
    object.add("wait_ms", wait.milliseconds)
    object.add("remaining", remaining)
    return object.line
  }

  private static func state(
    of name: String,
    _ state: ProviderState,
    _ message: String
  ) -> [UInt8] {
    var object = JSONObject(event: "provider", of: name)
    object.add("state", state.rawValue)
    object.add("message", message)
    return object.line
  }
}

extension JSONObject {
  fileprivate init(event: String, of provider: String) {
    self.init(event: event)
    add("provider", provider)
  }
}
