public import SondeAddresses
import SondeSystem

/// Asks a resolver for the names of addresses, and confirms them by the names' addresses.
///
/// One thread sends the questions, to one server at a time, at a rate that the server supports
/// (``HostNames``, `ResolverPace`). Results are not cached; callers may keep them for their
/// lifetime.
public final class NameResolver: Sendable {
  /// The configuration of a resolver.
  public struct Configuration: Sendable {
    /// The location of the resolver.
    public var place: ResolverPlace

    /// The time limit for an answer, per attempt.
    public var timeout = Duration.seconds(3)

    /// The number of retries after a time-out or SERVFAIL; from two on, more after time-outs if
    /// datagrams are lost (`Tries`).
    public var retries = 2

    /// Whether names are confirmed by their addresses.
    public var confirms = true

    /// Creates the default configuration of a resolver.
    public init(_ place: ResolverPlace = .system) { self.place = place }
  }

  private let inbox: ResolverInbox
  private let thread: Thread

  /// Starts the thread without sending anything; fails if c-ares cannot be loaded or there is no
  /// thread.
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

  deinit {
    inbox.close()
    thread.join()
  }

  /// Finds the names of addresses.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, including any that are not public.
  ///   - subject: What is asked about them.
  ///   - note: Called with each result and the index of its address, on the resolver's thread.
  /// - Returns: The results in the same order. If the resolver does not answer at all, all pending
  ///   ones end with ``HostNames/Status/networkLost``.
  /// - Throws: `CancellationError` if the task was cancelled.
  public func names(
    of addresses: [Address],
    _ subject: NameSubject = .names,
    noting note: @escaping @Sendable (Int, HostNames) -> Void = { _, _ in }
  ) async throws -> [HostNames] {
    guard !addresses.isEmpty else { return [] }
    let batch = NameBatch(addresses, subject, noting: note)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if batch.begin(continuation) { inbox.submit(batch) }
      }
    } onCancel: {
      batch.cancel()
    }
  }

  /// Tests within a second whether the resolver answers, by asking for the root's servers.
  public func presence() async -> ResolverFinding {
    await withCheckedContinuation { inbox.submit($0) }
  }

  /// Sends no further questions: callers that need more than the pending answers get a
  /// `CancellationError`.
  public func stop() { inbox.stop() }

  /// Ends all pending look-ups with ``HostNames/Status/networkLost`` for a reason, as after a loss
  /// of the network.
  public func abandonAll(_ reason: String) { inbox.abandonAll(reason) }

  /// The largest number of questions per second to a resolver with a public address.
  public static var mostPerSecond: Int { ResolverPace.mostPerSecond }

  /// The current servers of a location, at least one; fails if c-ares cannot be loaded, or the
  /// system has none.
  public static func servers(at place: ResolverPlace) throws(NameError) -> [NameServer] {
    switch place {
    case .system: try NameChannel.systemServers()
    case .server(let server): [server]
    }
  }
}

/// Whether a resolver answers.
public enum ResolverFinding: Sendable, Equatable {
  /// It answers, whatever the content.
  case answered
  /// It does not answer.
  case silent
  /// It cannot be reached, by the number of errno(3).
  case unreachable(Int32)

  /// The finding about a server, in plain words.
  func words(of server: String) -> String {
    switch self {
    case .answered: "\(server) answers"
    case .silent: "\(server) does not answer"
    case .unreachable(let number): "\(server) cannot be reached: \(SystemError(number))"
    }
  }
}
