import SondeAddresses
import SondeAsking
import SondeCatalog
import SondeLists
import SondeProviders
import SondeReachability
import SondeRecords
import SondeSystem
import SondeTransfer
import Synchronization

/// IANA's registry files, fetched on demand and stored for a day.
final class DirectoryKeeper: Sendable {
  enum Answer: Sendable {
    case known(RegistryDirectory)
    case failed(String)
    case networkLost(String)
  }

  /// The lifetime of a file in seconds.
  ///
  /// RFC 9224 §8 leaves it to HTTP (`Expires`). Here it is always a day, since blocks rarely change
  /// hands, and registries redirect questions about their former ones.
  private static let lifetime: Int64 = 86_400

  /// How long to wait before requesting a file again after a failure.
  private static let pause = Duration.seconds(30)

  private enum State {
    case absent
    case loading(Bell)
    case loaded(Answer, until: ContinuousClock.Instant)
  }

  private let folder: ListFolder?
  private let fetch: ListFetch
  private let paths: SourcePaths
  private let rules: AskingRules
  private let report: EventHandler
  private let states = Mutex<[PublishedList: State]>([:])
  private let latest = Mutex<[PublishedList: Answer]>([:])
  private let hasWarned = Mutex(false)

  /// Without a folder, files are kept for this run only; without `base`, they are IANA's own.
  init(
    in folder: ListFolder?,
    base: BaseURL?,
    over paths: SourcePaths,
    _ surroundings: SourceSurroundings
  ) {
    (self.folder, self.paths) = (folder, paths)
    (rules, report) = (surroundings.rules, surroundings.report)
    fetch = ListFetch(client: paths.client, base: base, timeout: rules.timeout)
  }

  /// The file for the family of an address; throws `CancellationError` only.
  func directory(for address: Address) async throws -> Answer {
    let list = PublishedList.registries(of: address)
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

  /// The last known state of the file for the family of an address, of any age.
  func latest(for address: Address) -> Answer? { latest.withLock { $0[.registries(of: address)] } }

  private func finish(_ list: PublishedList, _ state: State, _ bell: Bell) {
    if case .loaded(let answer, _) = state { latest.withLock { $0[list] = answer } }
    states.withLock { $0[list] = state }
    bell.ring()
  }

  /// Reads the stored file if it is recent enough, otherwise fetches it; an old one is used if that
  /// fails.
  private func load(_ list: PublishedList) async throws -> Answer {
    let kept = folder?.read(list)
    let former = kept.flatMap { try? RegistryDirectory(parsing: $0.body) }
    if let kept, let former, 0..<Self.lifetime ~= Timestamp.now.seconds - kept.fetchedAt {
      return .known(former)
    }
    // An unreadable file is not accepted as unchanged.
    let answer = try await find(list, unlike: former == nil ? nil : kept)
    if let former, !answer.isKnown { return .known(former) }
    if case .failed(let reason) = answer {
      report(.registry(list.host, .failing, message: reason))
    }
    return answer
  }

  private func find(_ list: PublishedList, unlike former: StoredList?) async throws -> Answer {
    let network = paths.gate(to: list.url(at: fetch.base?.text, path: list.path))
    var failures = 0
    while true {
      if case .lost(let reason) = try await network?.pass(unless: { false }) {
        return .networkLost(reason)
      }
      switch try await fetch.find(list, unlike: former) {
      case .new(let stored, _), .same(let stored):
        network?.take(.answered)
        keep(stored, as: list)
        let directory = try? RegistryDirectory(parsing: stored.body)
        return directory.map { .known($0) } ?? .failed("\(list.name) cannot be read")
      case .networkLost(let reason, let evidence) where evidence != .loginPage:
        guard let network else { return .networkLost(reason) }
        network.take(Finding(evidence))
      case .none(let reason), .networkLost(let reason, _):
        // A request abandoned because of a loss is repeated without being counted.
        guard network?.isOpen ?? true else { continue }
        failures += 1
        guard failures <= rules.retries else { return .failed("\(list.name) \(reason)") }
        try await pause(failures, "\(list.name) \(reason)", list)
      }
    }
  }

  /// Stores a file for the next run, if there is a directory; this run keeps it in any case.
  private func keep(_ stored: StoredList, as list: PublishedList) {
    guard let folder else { return warn("neither XDG_STATE_HOME nor HOME is set") }
    do throws(SystemError) {
      try folder.write(stored, as: list)
    } catch {
      warn("\(folder.path): \(error)")
    }
  }

  private func warn(_ reason: String) {
    let isNews = hasWarned.withLock { hasWarned in
      defer { hasWarned = true }
      return !hasWarned
    }
    if isNews { report(.directoriesUnkept(reason: reason)) }
  }

  private func pause(_ failures: Int, _ reason: String, _ list: PublishedList) async throws {
    var generator = SystemRandomNumberGenerator()
    let wait = rules.backoff.delay(attempt: failures, using: &generator)
    report(.retry(provider: list.host, attempt: failures, wait: wait, message: reason))
    try await ContinuousClock().sleep(for: wait)
  }
}

extension DirectoryKeeper.Answer {
  fileprivate var isKnown: Bool { if case .known = self { true } else { false } }

  /// How long it is valid within a run.
  fileprivate func lifetime(else pause: Duration) -> Duration {
    switch self {
    case .known: .seconds(86_400)
    case .failed, .networkLost: pause
    }
  }
}

extension PublishedList {
  /// The registries of IPv4 addresses (RFC 9224 §5.1).
  static let registriesIPv4 = PublishedList(directory: "rdap-ipv4", path: "/rdap/ipv4.json")

  /// The registries of IPv6 addresses (RFC 9224 §5.2).
  static let registriesIPv6 = PublishedList(directory: "rdap-ipv6", path: "/rdap/ipv6.json")

  fileprivate static func registries(of address: Address) -> PublishedList {
    address.isIPv4 ? registriesIPv4 : registriesIPv6
  }
}
