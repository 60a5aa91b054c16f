import SondeAddresses
import SondeNames
import Synchronization

/// The questions about addresses that are under way, and the latest answers, for several askers in
/// a run.
final class JointQuestions: Sendable {
  /// The largest number of answers that are remembered.
  private static let mostRemembered = 1 << 14

  private typealias Waiter = CheckedContinuation<HostNames?, Never>

  private struct State {
    /// Those who wait for the answers under way.
    var waiters: [Address: [Waiter]] = [:]
    /// Answers with the ends of their lifetimes, since a server runs for long.
    var recent: [Address: (names: HostNames, end: ContinuousClock.Instant)] = [:]

    func answer(about address: Address, now: ContinuousClock.Instant) -> HostNames? {
      recent[address].flatMap { $0.end > now ? $0.names : nil }
    }
  }

  private let state = Mutex(State())

  /// Enters questions: adds remembered answers to `known`, unless they must be fresh, and returns the
  /// addresses about which the caller is to ask.
  func enter(
    _ addresses: [Address],
    isFresh: Bool,
    known: inout [Address: HostNames],
    now: ContinuousClock.Instant = .now
  ) -> [Address] {
    let (own, recalled) = state.withLock { state in
      var (own, recalled): ([Address], [Address: HostNames]) = ([], [:])
      for address in addresses {
        if !isFresh, let names = state.answer(about: address, now: now) {
          recalled[address] = names
        } else if state.waiters[address] == nil {
          state.waiters[address] = []
          own.append(address)
        }
      }
      return (own, recalled)
    }
    known.merge(recalled) { $1 }
    return own
  }

  /// Ends the caller's questions, with their answers; without one, another may ask.
  func finish(_ addresses: [Address], _ found: [Address: HostNames]) {
    let waiters = state.withLock { state in
      if state.recent.count + found.count > Self.mostRemembered { state.recent = [:] }
      // Without a lifetime, as after a loss of the network, it is asked again.
      for (address, names) in found {
        state.recent[address] = names.lifetime.map { (names, .now + $0) }
      }
      return addresses.map { ($0, state.waiters.removeValue(forKey: $0) ?? []) }
    }
    for (address, waiters) in waiters {
      for waiter in waiters { waiter.resume(returning: found[address]) }
    }
  }

  /// Waits for the answer that another has asked for; `nil` if it got none.
  func answer(about address: Address) async -> HostNames? {
    await withCheckedContinuation { waiter in
      let (isEntered, known) = state.withLock { state in
        guard state.waiters[address] != nil else {
          return (false, state.answer(about: address, now: .now))
        }
        state.waiters[address]?.append(waiter)
        return (true, nil)
      }
      if !isEntered { waiter.resume(returning: known) }
    }
  }
}
