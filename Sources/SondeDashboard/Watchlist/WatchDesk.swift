import SondeRecords
import SondeSystem

/// Stores watched addresses, and asks for each again when its answer is old.
///
/// It asks for one at a time, while no look-up is waiting and no scan or log goes first, and only while
/// the quota leaves enough for people.
public struct WatchDesk: Sendable {
  /// The maximum number of watched addresses per user.
  package static let most = 1000

  /// The requests of the quota that are reserved for people.
  private static let reserve = 10

  /// The time between two requests, and between two checks whether one is due.
  private static let pace = Duration.seconds(1)

  /// The time after a request that nobody could answer.
  private static let pause = Duration.seconds(30)

  let state: DashboardState
  let lookups: LookupDesk
  let scans: ScanDesk
  let logs: LogDesk
  let hub: DashboardHub

  /// The maximum age of an answer.
  let interval: Duration

  /// Called with a JSON object for each change.
  let alert: @Sendable ([UInt8]) async -> Void

  func run() async {
    while (try? await Task.sleep(for: Self.pace)) != nil {
      let now = Timestamp.now
      let end = Timestamp(milliseconds: now.milliseconds - interval.milliseconds)
      guard await isIdle, let due = try? await state.watchedLongestAgo(before: end) else {
        continue
      }
      guard await refresh(due) else {
        try? await Task.sleep(for: Self.pause)
        continue
      }
    }
  }

  private var isIdle: Bool {
    get async {
      guard !lookups.isAtWork, lookups.remaining ?? .max > Self.reserve else { return false }
      guard await !logs.goesFirst else { return false }
      return await !scans.goesFirst
    }
  }

  /// Asks for an address; false if the next one should wait, too.
  private func refresh(_ thing: Watched) async -> Bool {
    let now = Timestamp.now
    do throws(DashboardError) {
      let answer = try await lookups.ask(thing.text.address, isFresh: thing.record != nil)
      await take(answer, for: thing, at: now)
      return true
    } catch {
      guard error.kind == .provider else { return false }
      // An address without an answer must not block the others.
      _ = try? await state.change(thing.id, of: thing.user) { $0.checkedAt = now }
      return true
    }
  }

  private func take(_ answer: LookupDesk.Answer, for thing: Watched, at now: Timestamp) async {
    let changed = try? await state.change(thing.id, of: thing.user) { current in
      // The user may have entered another address meanwhile.
      guard current.text.address == thing.text.address else { return false }
      return current.take(answer.json, rank: answer.rank, at: now)
    }
    guard let (new, hasChanged) = changed ?? nil else { return }
    guard hasChanged || thing.record == nil else { return }
    hub.publish(DashboardEvent(kind: .watch, user: new.user, json: new.json.bytes))
    if hasChanged { await alert(new.alert(at: now).bytes) }
  }
}
