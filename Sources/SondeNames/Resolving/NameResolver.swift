public import SondeAddresses
import SondeSystem

/// Asks a resolver for the names of addresses, and for the addresses of those names.
///
/// One thread asks, of one server at a time, as fast as the server bears (``HostNames``, `Pace`). Nothing
/// is kept: whoever asks keeps results for their lifetime.
public final class NameResolver: Sendable {
  /// How a resolver is asked.
  public struct Configuration: Sendable {
    /// Where it is.
    public var place: ResolverPlace

    /// How long an answer is waited for, each time.
    public var timeout = Duration.seconds(3)

    /// How often a question is asked again after a time-out or SERVFAIL; from two on more often after
    /// time-outs, where datagrams are lost (`Tries`).
    public var retries = 2

    /// Whether names are looked up, too; without, none is confirmed.
    public var confirms = true

    /// Asks the resolver at a place.
    public init(_ place: ResolverPlace = .system) { self.place = place }
  }

  private let inbox: ResolverInbox
  private let thread: Thread

  /// Starts the thread; nothing is sent yet.
  ///
  /// - Throws: ``NameError`` where c-ares cannot be loaded or no thread started.
  public init(_ configuration: Configuration) throws(NameError) {
    _ = unsafe try LibCAres.functions()
    do {
      let inbox = try ResolverInbox()
      self.inbox = inbox
      thread = try Thread { ResolverLoop(inbox, configuration).run() }
    } catch {
      throw NameError("no resolver could be started: \(error)")
    }
  }

  /// Ends the thread.
  deinit {
    inbox.close()
    thread.join()
  }

  /// Finds the names of addresses.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, each of which is asked about, also where it is not public.
  ///   - note: Told of each as it is found, with its place among the addresses, on the resolver's
  ///     thread.
  /// - Returns: What was found of each, in the same order. Where the resolver does not answer at all, all
  ///   that is under way ends with ``HostNames/Status/networkLost``.
  /// - Throws: `CancellationError` when the task was cancelled.
  public func names(
    of addresses: [Address],
    noting note: @escaping @Sendable (Int, HostNames) -> Void = { _, _ in }
  ) async throws -> [HostNames] {
    guard !addresses.isEmpty else { return [] }
    let batch = NameBatch(addresses, noting: note)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if batch.begin(continuation) { inbox.submit(batch) }
      }
    } onCancel: {
      batch.cancel()
    }
  }

  /// Asks the resolver for the root's servers, which tells whether it answers: within a second.
  public func presence() async -> ResolverFinding {
    await withCheckedContinuation { inbox.submit($0) }
  }

  /// Asks about no further address, now and later: who waits for more than the answers that are under way
  /// gets a `CancellationError`.
  public func stop() { inbox.stop() }

  /// Ends all that is under way with ``HostNames/Status/networkLost``, as after a loss of the network.
  ///
  /// - Parameter reason: Why, for the results.
  public func abandonAll(_ reason: String) { inbox.abandonAll(reason) }

  /// How many questions a second a resolver with a public address gets at most.
  public static var mostPerSecond: Int { Pace.mostPerSecond }

  /// The servers that a place names now, at least one.
  ///
  /// - Throws: ``NameError`` where c-ares cannot be loaded, or the system names none.
  public static func servers(at place: ResolverPlace) throws(NameError) -> [NameServer] {
    switch place {
    case .system: try NameChannel.systemServers()
    case .server(let server): [server]
    }
  }
}

/// Whether a resolver answers.
public enum ResolverFinding: Sendable, Equatable {
  /// It does, whatever it says.
  case answered
  /// It does not.
  case silent
  /// The system says that it cannot be reached: the number of the error (errno(3)).
  case unreachable(Int32)

  /// What was found out about a server, in words for a person.
  func words(of server: String) -> String {
    switch self {
    case .answered: "\(server) answers"
    case .silent: "\(server) does not answer"
    case .unreachable(let number): "\(server) cannot be reached: \(SystemError(number))"
    }
  }
}
