import Glibc
import SondeSystem

/// Asks each server for the root's servers, which every resolver answers, if only with a refusal.
final class ResolverProbe {
  /// The time limit of the first attempt, doubled for each further one; a second in total.
  private static let timeout = Duration.milliseconds(150)
  private static let tries: Int32 = 3

  /// One channel per server, with separate sockets, since existing ones may be the cause.
  let channels: [NameChannel]
  let names: String
  private var left: Int

  /// The tasks that wait for the finding.
  var askers: [ResolverInbox.Asker] = []

  init(_ servers: [NameServer]) {
    channels = servers.compactMap {
      try? NameChannel(to: $0, timeout: Self.timeout, tries: Self.tries, capacity: 1)
    }
    left = channels.count
    names = servers.map(\.description).joined(separator: ", ")
    for channel in channels { channel.ask([CChar(UInt8(ascii: ".")), 0], .nameServer, number: 0) }
  }

  /// Checks for answers; `nil` if the finding is not known yet.
  func finding() -> ResolverFinding? {
    for channel in channels {
      for end in channel.takeEnds() {
        switch end.outcome {
        case .answer, .unreadable: return .answered
        case .timedOut, .unreachable, .refusedName: left -= 1
        }
      }
    }
    guard left <= 0 else { return nil }
    let error = channels.lazy.map(\.lastError).first { $0 != 0 }
    return error.map { .unreachable($0) } ?? .silent
  }

  /// Reports the finding to the waiting tasks.
  func end(_ finding: ResolverFinding) {
    for asker in askers { asker.resume(returning: finding) }
    askers = []
  }
}

extension ResolverLoop {
  /// The running probe, or a new one; the system's servers are read again.
  func startProbe() -> ResolverProbe {
    if let probe { return probe }
    let fresh = ResolverProbe((try? NameResolver.servers(at: configuration.place)) ?? [])
    probe = fresh
    return fresh
  }

  /// Handles the probe's finding; returns whether there was one.
  func takeProbe(now: Duration) -> Bool {
    guard let probe, let finding = probe.finding() else { return false }
    self.probe = nil
    probe.end(finding)
    if finding == .answered {
      noteAnswer(now: now)
    } else if presence.isDoubted {
      loseAll(finding.words(of: probe.names))
    }
    return true
  }
}
