import Glibc
import SondeSystem

/// Asks each server for the root's servers, which every resolver answers, if only by refusing.
final class ResolverProbe {
  /// How long an answer to the first of its tries is waited for; each of the next waits twice as long, a
  /// second in all.
  private static let timeout = Duration.milliseconds(150)
  private static let tries: Int32 = 3

  /// One for each server, with sockets of their own: a former one may be what fails.
  let channels: [NameChannel]
  private let names: String
  private var left: Int

  /// Who wants to know.
  var askers: [ResolverInbox.Asker] = []

  init(_ servers: [NameServer]) {
    channels = servers.compactMap {
      try? NameChannel(to: $0, timeout: Self.timeout, tries: Self.tries, capacity: 1)
    }
    left = channels.count
    names = servers.map(\.description).joined(separator: ", ")
    for channel in channels { channel.ask([CChar(UInt8(ascii: ".")), 0], .nameServer, number: 0) }
  }

  /// Looks what has come; `nil` where that is not known yet.
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

  /// Tells who wants to know.
  func end(_ finding: ResolverFinding) {
    for asker in askers { asker.resume(returning: finding) }
    askers = []
  }

  /// Why the network is lost.
  func words(_ finding: ResolverFinding) -> String { finding.words(of: names) }
}

extension ResolverLoop {
  /// The probe under way, or a new one; servers that the system names are read anew.
  func startProbe() -> ResolverProbe {
    if let probe { return probe }
    let fresh = ResolverProbe((try? NameResolver.servers(at: configuration.place)) ?? [])
    probe = fresh
    return fresh
  }

  /// Takes what the probe has found out; whether it has.
  func takeProbe(now: Duration) -> Bool {
    guard let probe, let finding = probe.finding() else { return false }
    self.probe = nil
    probe.end(finding)
    if finding == .answered {
      noteAnswer(now: now)
    } else if presence.isDoubted {
      loseAll(probe.words(finding))
    }
    return true
  }
}
