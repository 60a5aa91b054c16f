import SondeSystem
internal import Synchronization

/// The daemons of a server.
///
/// The last one accepts connections; each other one serves those opened before it was replaced,
/// until they are closed.
final class Daemons: Sendable {
  private let daemons: Mutex<[Daemon]>

  init(_ daemons: [Daemon]) { self.daemons = Mutex(daemons) }

  /// The oldest first.
  var all: [Daemon] { daemons.withLock { $0 } }

  /// Adds a daemon, which accepts connections instead of the last one.
  func add(_ daemon: Daemon) {
    let last = daemons.withLock { daemons in
      defer { daemons.append(daemon) }
      return daemons.last
    }
    last?.retire()
  }

  /// Removes and returns all daemons, to stop them.
  func takeAll() -> [Daemon] {
    daemons.withLock { daemons in
      defer { daemons = [] }
      return daemons
    }
  }

  /// Checks all connections, and stops replaced daemons without any; to be called each second.
  func sweep() async {
    for daemon in all { daemon.sweep() }
    let unused = daemons.withLock { daemons in
      let unused = daemons.dropLast().filter(\.isUnused)
      daemons.removeAll { daemon in unused.contains { $0 === daemon } }
      return unused
    }
    for daemon in unused { await daemon.stopElsewhere() }
  }

  /// Cancels what is read for clients that have left; to be called every few milliseconds.
  func notice() async { for daemon in all { daemon.notice() } }

  /// Clears ended sessions of connections; to be called each second.
  func checkSessions() async {
    for connection in all.flatMap(\.connections) { await connection.checkSession() }
  }
}

extension Daemon {
  /// Stops it on another thread, since that waits for libmicrohttpd's.
  func stopElsewhere() async {
    await withCheckedContinuation { continuation in
      let stop: @Sendable () -> Void = {
        self.stop()
        continuation.resume()
      }
      guard let thread = try? Thread(stop) else { return stop() }
      thread.detach()
    }
  }
}
