import Testing

@testable import SondeAsking

@Suite struct HandoversTests {
  private typealias Change = Handovers.Change

  private func at(_ seconds: Double) -> ContinuousClock.Instant { Teller.start + .seconds(seconds) }

  @Test func `each is told once, at once`() {
    let handovers = Teller()
    #expect(handovers.answer(0, at: 0) == nil)
    #expect(handovers.answer(1, at: 1) == Change(from: 0, to: 1, reason: "down"))
    #expect(handovers.answer(1, at: 2) == nil)
    #expect(handovers.answer(0, at: 30) == Change(from: 1, to: 0, reason: ""))
    #expect(handovers.answer(2, at: 60) == Change(from: 0, to: 2, reason: "down"))
    #expect(handovers.due == nil)
    #expect(handovers.finish() == nil)
  }

  @Test func `to and fro is one line, and one when it stays`() {
    let handovers = Teller()
    #expect(handovers.answer(1, at: 0) != nil)
    for step in 1...40 {
      #expect(handovers.answer(1 - step % 2, at: Double(step) / 2) == nil)
    }
    #expect(handovers.answer(0, at: 21) == nil)
    #expect(handovers.due == at(31))
    #expect(handovers.timePassed(now: at(30.9)) == nil)
    #expect(handovers.timePassed(now: at(31)) == Change(from: 1, to: 0, reason: ""))
    #expect(handovers.timePassed(now: at(60)) == nil)
    #expect(handovers.finish() == nil)
  }

  @Test func `a return within the time is told when it has lasted`() {
    let handovers = Teller()
    #expect(handovers.answer(1, at: 0) != nil)
    #expect(handovers.answer(0, at: 2) == nil)
    #expect(handovers.timePassed(now: at(12)) == Change(from: 1, to: 0, reason: ""))
    // That is long ago by then.
    #expect(handovers.answer(1, at: 13) != nil)
  }

  @Test func `at the end it is told who answers, unless that was told last`() {
    let handovers = Teller()
    #expect(handovers.answer(1, at: 0) != nil)
    #expect(handovers.answer(0, at: 1) == nil)
    #expect(handovers.finish() == Change(from: 1, to: 0, reason: ""))
    #expect(handovers.finish() == nil)
    let other = Teller()
    #expect(other.answer(1, at: 0) != nil)
    #expect(other.answer(0, at: 1) == nil)
    #expect(other.answer(1, at: 2) == nil)
    #expect(other.finish() == nil)
  }

  @Test func `what was asked before a hand-over says nothing about it`() {
    let handovers = Teller()
    let questions = (0..<8).map { _ in handovers.begin() }
    #expect(handovers.note(1, reason: "spent", question: questions[4], now: at(0)) != nil)
    for question in questions {
      #expect(handovers.note(0, question: question, now: at(20)) == nil)
      #expect(handovers.note(2, question: question, now: at(20)) == nil)
    }
    #expect(handovers.answer(0, at: 20) != nil)
  }

  @Test func `that addresses go unanswered is told once, until somebody answers`() {
    let handovers = Teller()
    let before = handovers.begin()
    #expect(handovers.noteLoss())
    #expect(!handovers.noteLoss())
    handovers.noteAnswer(question: before)
    #expect(!handovers.noteLoss())
    handovers.noteAnswer(question: handovers.begin())
    #expect(handovers.noteLoss())
  }
}

/// Hand-overs whose steps may be looked at in an expectation.
private final class Teller {
  typealias Instant = ContinuousClock.Instant

  static let start = ContinuousClock.now
  private var handovers = Handovers()

  var due: Instant? { handovers.due }
  func begin() -> UInt64 { handovers.begin() }
  func timePassed(now: Instant) -> Handovers.Change? { handovers.timePassed(now: now) }
  func finish() -> Handovers.Change? { handovers.finish() }
  func noteLoss() -> Bool { handovers.noteLoss() }
  func noteAnswer(question: UInt64) { handovers.noteAnswer(question: question) }

  func note(
    _ provider: Int,
    reason: String = "",
    question: UInt64,
    now: Instant
  ) -> Handovers.Change? {
    handovers.note(provider, reason: reason, question: question, now: now)
  }

  /// Has a provider answer a question asked just now.
  func answer(_ provider: Int, at seconds: Double) -> Handovers.Change? {
    let reason = provider == 0 ? "" : "down"
    let now = Self.start + .seconds(seconds)
    return note(provider, reason: reason, question: begin(), now: now)
  }
}
