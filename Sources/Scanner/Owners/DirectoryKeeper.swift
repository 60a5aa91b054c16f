import Addresses
import Providers
import Reachability
import Records
import Synchronization
import Transfer

/// IANA's files that say which registry knows of which addresses, fetched when they are needed and kept a
/// day.
final class DirectoryKeeper: Sendable {
  /// What is known of a file.
  enum Answer: Sendable {
    case known(RegistryDirectory)
    case failed(String)
    case networkLost(String)
  }

  /// How long a file is as good as a new one, in seconds; RFC 9224 §8 leaves that to the client where the
  /// server does not say.
  private static let lifetime: Int64 = 86_400

  /// How long a file that could not be had is not asked for again.
  private static let pause = Duration.seconds(30)

  private enum State {
    case absent
    case loading(Bell)
    case loaded(Answer, until: ContinuousClock.Instant)
  }

  private let folder: ListFolder
  private let base: BaseURL?
  private let paths: RegistryPaths
  private let rules: AskingRules
  private let report: EventHandler
  private let states = Mutex<[PublishedList: State]>([:])

  /// - Parameters:
  ///   - folder: Where the files are kept.
  ///   - base: A mirror of them; `nil` for IANA itself.
  ///   - paths: The paths, and who sends the requests.
  ///   - surroundings: The rules.
  init(
    in folder: ListFolder,
    base: BaseURL?,
    over paths: RegistryPaths,
    _ surroundings: SourceSurroundings
  ) {
    (self.folder, self.base, self.paths) = (folder, base, paths)
    (rules, report) = (surroundings.rules, surroundings.report)
  }

  /// The file for the family of an address.
  ///
  /// - Throws: `CancellationError`, and nothing else.
  func directory(for address: Address) async throws -> Answer {
    let list = address.isIPv4 ? PublishedList.registriesIPv4 : .registriesIPv6
    while true {
      let bell = Bell()
      let state = states.withLock { states in
        let state = states[list] ?? .absent
        switch state {
        case .loading: return state
        case .loaded(_, let end) where .now < end: return state
        case .loaded, .absent:
          states[list] = .loading(bell)
          return .absent
        }
      }
      switch state {
      case .loaded(let answer, _): return answer
      case .loading(let other): try await other.wait(after: 0, until: nil)
      case .absent:
        do {
          let answer = try await load(list)
          finish(list, .loaded(answer, until: .now + answer.lifetime(else: Self.pause)), bell)
          return answer
        } catch {
          finish(list, .absent, bell)
          throw error
        }
      }
    }
  }

  private func finish(_ list: PublishedList, _ state: State, _ bell: Bell) {
    states.withLock { $0[list] = state }
    bell.ring()
  }

  /// Takes the file that is kept while it is young enough, else fetches it; an old one is better than none.
  private func load(_ list: PublishedList) async throws -> Answer {
    let kept = folder.read(list)
    let former = kept.flatMap { try? RegistryDirectory(parsing: $0.body) }
    if let kept, let former, 0..<Self.lifetime ~= Timestamp.now.seconds - kept.fetchedAt {
      return .known(former)
    }
    let problem = try await fetch(list)
    if problem == nil, let new = folder.read(list),
      let directory = try? RegistryDirectory(parsing: new.body)
    {
      return .known(directory)
    }
    if let former { return .known(former) }
    let failure = problem ?? .failed("cannot be read again")
    if case .failed(let reason) = failure {
      report(.registry(list.host, .failing, message: reason))
    }
    return failure
  }

  /// Fetches a file into the folder.
  ///
  /// - Returns: Why it is not there; `nil` where it is.
  private func fetch(_ list: PublishedList) async throws -> Answer? {
    let updater = ListUpdate(
      folder: folder,
      client: paths.client,
      base: base,
      timeout: rules.timeout
    )
    let network = paths.gate(to: list.url(at: base?.text, path: list.path))
    var failures = 0
    while true {
      if case .lost(let reason) = try await network?.pass(unless: { false }) {
        return .networkLost(reason)
      }
      switch try await updater.update(list) {
      case .updated, .same:
        network?.take(.answered)
        return nil
      case .unwritable(let reason): return .failed(reason)
      case .networkLost(let reason, let evidence) where evidence != .loginPage:
        guard let network else { return .networkLost(reason) }
        network.take(Finding(evidence))
      case .kept(let reason), .networkLost(let reason, _):
        // What was given up at a loss is asked for again for nothing.
        guard network?.isOpen ?? true else { continue }
        failures += 1
        guard failures <= rules.retries else { return .failed("\(list.name) \(reason)") }
        try await pause(failures, "\(list.name) \(reason)", list)
      }
    }
  }

  private func pause(_ failures: Int, _ reason: String, _ list: PublishedList) async throws {
    var generator = SystemRandomNumberGenerator()
    let wait = rules.backoff.delay(attempt: failures, using: &generator)
    report(.retry(provider: list.host, attempt: failures, wait: wait, message: reason))
    try await ContinuousClock().sleep(for: wait)
  }
}

extension DirectoryKeeper.Answer {
  /// How long it holds in a run.
  fileprivate func lifetime(else pause: Duration) -> Duration {
    switch self {
    case .known: .seconds(86_400)
    case .failed, .networkLost: pause
    }
  }
}

extension PublishedList {
  /// Which registry has which IPv4 addresses (RFC 9224 §5.1).
  static let registriesIPv4 = PublishedList(directory: "rdap-ipv4", path: "/rdap/ipv4.json")

  /// The same of IPv6 (RFC 9224 §5.2).
  static let registriesIPv6 = PublishedList(directory: "rdap-ipv6", path: "/rdap/ipv6.json")
}
