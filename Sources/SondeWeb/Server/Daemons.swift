import SondeSystem

internal import Synchronization
internal import SondeSystem

/// The daemons of a server: the last accepts connections, each other one has those that came before it
/// was followed, until they are closed.
final class Daemons: Sendable {
  private let daemons: Mutex<[Daemon]>

  init(_ daemons: [Daemon]) { self.daemons = Mutex(daemons) }

  /// All of them, the oldest first.
  var all: [Daemon] { daemons.withLock { $0 } }

  /// Has one accept in the place of the last.
  func add(_ daemon: Daemon) {
    let last = daemons.withLock { daemons in
      defer { daemons.append(daemon) }
      return daemons.last
    }
    last?.retire()
  }

  /// Takes them out, for who stops them.
  func takeAll() -> [Daemon] {
    daemons.withLock { daemons in
      defer { daemons = [] }
      return daemons
    }
  }

  /// Looks after every connection, and stops those that have none left; to be called each second.
  func sweep() async {
    for daemon in all { daemon.sweep() }
    let unused = daemons.withLock { daemons in
      let unused = daemons.dropLast().filter(\.isUnused)
      daemons.removeAll { daemon in unused.contains { $0 === daemon } }
      return unused
    }
    for daemon in unused { await daemon.stopElsewhere() }
  }

  /// Leaves the connections of sessions that have ended to nobody; to be called each second.
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
