import SondeRecords
import SondeSystem

/// Keeps what people watch, and asks for it again when its answer is old: one at a time, while nobody
/// looks anything up and no scan goes first, and as long as the quota leaves people enough.
public struct WatchDesk: Sendable {
  /// The most things that a user watches.
  package static let most = 1000

  /// The requests that are left to people.
  private static let reserve = 10

  /// The time between two questions, and between two looks whether there is one.
  private static let pace = Duration.seconds(1)

  /// The time after a question that nobody could answer.
  private static let pause = Duration.seconds(30)

  let state: DashboardState
  let lookups: LookupDesk
  let scans: ScanDesk
  let hub: DashboardHub

  /// How old an answer may be.
  let interval: Duration

  /// Called for each change with a JSON object.
  let alert: @Sendable ([UInt8]) async -> Void

  /// Asks until the task is cancelled.
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
      return await !scans.goesFirst
    }
  }

  /// Asks for a thing.
  ///
  /// - Returns: Whether there is an answer, or will be none soon; else the next one may wait, too.
  private func refresh(_ thing: Watched) async -> Bool {
    let now = Timestamp.now
    do throws(DashboardError) {
      let answer = try await lookups.ask(thing.text.address, isFresh: thing.record != nil)
      await take(answer, for: thing, at: now)
      return true
    } catch {
      guard error.kind == .provider else { return false }
      // Others are not to wait for one that has no answer.
      _ = try? await state.change(thing.id, of: thing.user) { $0.checkedAt = now }
      return true
    }
  }

  private func take(_ answer: LookupDesk.Answer, for thing: Watched, at now: Timestamp) async {
    let changed = try? await state.change(thing.id, of: thing.user) { current in
      // Meanwhile it may have become another address.
      guard current.text.address == thing.text.address else { return false }
      return current.take(answer.json, rank: answer.rank, at: now)
    }
    guard let (new, hasChanged) = changed ?? nil else { return }
    guard hasChanged || thing.record == nil else { return }
    hub.publish(DashboardEvent(kind: .watch, user: new.user, json: new.json.bytes))
    if hasChanged { await alert(new.alert(at: now).bytes) }
  }
}
