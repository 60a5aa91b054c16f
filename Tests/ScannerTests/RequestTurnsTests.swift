import SondeProviders
import SondeStore
import Synchronization
import TestSupport
import Testing

@testable import SondeAsking

@Suite struct RequestTurnsTests {
  private let turns = RequestTurns()
  private let called = Shared<[String]>([])

  private func turn(_ user: String, _ name: String, _ rank: RequestTurns.Rank = .scans)
    -> RequestTurn
  {
    turns.turn(at: "ip-api", of: user, rank) { [called] in called.change { $0.append(name) } }
  }

  /// Gives so many turns to those who all wait, and returns their names in order.
  private func serve(_ count: Int, _ waiting: [(name: String, turn: RequestTurn)]) -> [String] {
    (0..<count).compactMap { _ in
      for (_, turn) in waiting { _ = turn.isNext }
      let next = waiting.first { $0.turn.isNext }
      next?.turn.wasServed()
      return next?.name
    }
  }

  @Test func `users take turns, and the scans of one take those of the user`() {
    let waiting = [("a1", turn("anna", "a1")), ("a2", turn("anna", "a2")), ("b", turn("bob", "b"))]
    #expect(serve(6, waiting) == ["a1", "b", "a2", "b", "a1", "b"])
  }

  @Test func `who comes late is served next`() {
    let first = turn("anna", "first")
    #expect(serve(3, [("first", first)]) == ["first", "first", "first"])
    #expect(serve(2, [("first", first), ("late", turn("bob", "late"))]) == ["late", "first"])
  }

  @Test func `look-ups come before scans`() {
    let people = turn("", "people", .lookUps)
    let waiting = [("scan", turn("anna", "scan")), ("people", people)]
    #expect(serve(3, waiting) == ["people", "people", "people"])
    people.rest()
    #expect(waiting[0].1.isNext)
  }

  @Test func `one alone takes all at once, and quotas do not mix`() {
    let first = turn("anna", "first")
    let other = turns.turn(at: "ipinfo", of: "bob", .scans) {}
    #expect(first.isNext && other.isNext)
    #expect(!first.isShared && !other.isShared)
    let second = turn("bob", "second")
    #expect(!first.isShared)
    _ = second.isNext
    #expect(first.isShared && !second.isNext)
  }

  @Test func `who is next is called once, also when another has gone`() {
    let first = turn("anna", "first")
    var second: RequestTurn? = turn("bob", "second")
    let third = turn("carl", "third")
    #expect(first.isNext && second?.isNext == false && !third.isNext)
    first.wasServed()
    first.pass()
    first.pass()
    #expect(called.value == ["second"])
    second = nil
    #expect(called.value == ["second", "third"])
    third.rest()
    third.pass()
    #expect(called.value == ["second", "third", "first"])
  }

  @Test func `who waits behind another learns that the quota is spent, once`() {
    let first = turn("anna", "first")
    let (second, idle) = (turn("bob", "second"), turn("carl", "idle"))
    #expect(first.isNext && !second.isNext)
    first.wasDenied(until: .seconds(7))
    first.pass()
    #expect(called.value == ["second", "first"] && second.spentUntil == .seconds(7))
    second.wasDenied(until: .seconds(7))
    second.pass()
    first.pass()
    #expect(called.value.count == 2)
    withExtendedLifetime(idle) {}
  }

  @Test(.timeLimit(.minutes(1)))
  func `gates of two users share the windows of one ledger evenly`() async throws {
    let folder = try ScratchFolder()
    let ledger = Ledger(folder: folder.path) { _ in }
    // The second of the windows is shared by the two; the first was taken by the one alone.
    let quota = Quota(allowance: Allowance(requests: 4, per: .milliseconds(300)))
    let order = Shared<[String]>([])
    let gates = ["anna", "bob"].map { user in
      let account = QuotaAccount(ledger, of: Registry.regional[0], at: nil)
      let gate = QuotaGate(quota: quota, ledger: account, AskingRules()) { _, _ in }
      gate.join(turns, at: "rdap", of: user, .scans)
      return (user, gate)
    }
    await withTaskGroup(of: Void.self) { group in
      for (user, gate) in gates {
        for _ in 0..<(user == "anna" ? 12 : 4) {
          group.addImmediateTask {
            guard let ticket = try? await gate.acquire() else { return }
            order.change { $0.append(user) }
            await gate.settle(ticket, .answered(QuotaNotice()))
          }
        }
      }
    }
    #expect(order.value.count == 16)
    // By the time bob has all of his, anna has had at most one window more.
    let last = try #require(order.value.lastIndex(of: "bob"))
    #expect(order.value[..<last].count { $0 == "anna" } <= 4 + 4)
    await ledger.close()
  }
}
