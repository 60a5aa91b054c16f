import Testing

@testable import SondeDashboard

@Suite struct ScanLifeTests {
  private let now = ContinuousClock.now

  /// A scan whose turn has come.
  private func atWork() -> ScanLife {
    var life = ScanLife()
    _ = life.take(.start)
    _ = life.take(.admitted)
    return life
  }

  private func state(_ life: ScanLife) -> String {
    let (state, waiting) = life.state(now: now)
    return waiting.map { "\(state) \($0)" } ?? "\(state)"
  }

  @Test func `each command is done, holds or is impossible in each phase`() {
    let expected: [ScanLife.Phase: String] = [
      .ready: "start:done pause:no resume:no stop:no retry:no",
      .active: "start:holds pause:done resume:holds stop:done retry:no",
      .paused: "start:no pause:holds resume:done stop:done retry:no",
      .done: "start:no pause:no resume:no stop:no retry:done",
      .stopped: "start:no pause:no resume:no stop:holds retry:done",
      .failed: "start:no pause:no resume:no stop:no retry:done",
    ]
    for phase in ScanLife.Phase.allCases {
      let answers = ScanLife.Command.allCases.map { command in
        var life = ScanLife(phase)
        switch life.take(command) {
        case .done: return "\(command):done"
        case .holds: return "\(command):holds"
        case .impossible: return "\(command):no"
        }
      }
      #expect(answers.joined(separator: " ") == expected[phase], "\(phase)")
    }
  }

  @Test func `one that the server or its databases failed can be resumed, no other that failed`() {
    var life = atWork()
    #expect(life.take(.ended(.deadly)) == [])
    #expect(state(life) == "failed" && life.detail?.contains("the server ended twice") == true)
    #expect(life.take(.start) != .done([.enqueue]))
    #expect(life.take(.resume) == .done([.enqueue]))
    #expect(state(life) == "waiting queue" && life.detail == nil)
    _ = life.take(.admitted)
    _ = life.take(.ended(.failed("another reason")))
    guard case .impossible = life.take(.resume) else {
      Issue.record("resumed after another failure")
      return
    }
    var kept = ScanLife(.failed, reason: "why", isDeadly: true)
    #expect(kept.take(.resume) == .done([.enqueue]))
    #expect(!life.mayBeResumed && !kept.mayBeResumed)
    var without = ScanLife(.failed, reason: ScanLife.missingDatabases)
    #expect(without.mayBeResumed && without.take(.resume) == .done([.enqueue]))
  }

  @Test func `who asks again for what is being asked again is told so`() {
    var life = ScanLife(.active, retried: .done)
    #expect(life.take(.retry) == .holds)
    guard case .impossible = life.take(.start) else {
      Issue.record("started while it asks again")
      return
    }
  }

  @Test func `it waits for its turn and then runs to its end`() {
    var life = ScanLife()
    #expect(life.take(.start) == .done([.enqueue]))
    #expect(state(life) == "waiting queue")
    #expect(life.take(.admitted) == [])
    #expect(state(life) == "running")
    #expect(life.take(.ended(.complete)) == [])
    #expect(state(life) == "done")
  }

  @Test func `a pause lets the work end, and resuming meanwhile begins it again afterwards`() {
    var life = atWork()
    #expect(life.take(.pause) == .done([.halt]))
    #expect(state(life) == "paused")
    #expect(life.take(.resume) == .done([]))
    #expect(state(life) == "running")
    #expect(life.take(.ended(.halted)) == [.enqueue])
    #expect(state(life) == "waiting queue")
  }

  @Test func `one that waits for its turn is taken out of the queue`() {
    var life = ScanLife()
    _ = life.take(.start)
    #expect(life.take(.stop) == .done([.dequeue]))
    #expect(state(life) == "stopped")
  }

  @Test func `what was done before a pause took hold is done`() {
    var life = atWork()
    _ = life.take(.pause)
    _ = life.take(.ended(.complete))
    #expect(state(life) == "done")
  }

  @Test func `stopping is final`() {
    for end in [ScanLife.End.complete, .halted, .failed("x")] {
      var life = atWork()
      _ = life.take(.stop)
      #expect(life.take(.ended(end)) == [])
      #expect(state(life) == "stopped")
    }
  }

  @Test func `it says what it waits for, the disk before the network before the quota`() {
    var life = atWork()
    _ = life.take(.quotaSpent(until: now + .seconds(5)))
    #expect(state(life) == "waiting quota")
    #expect(life.state(now: now + .seconds(5)).state == .running)
    _ = life.take(.networkLost)
    #expect(state(life) == "waiting network")
    #expect(life.take(.diskShort) == [.halt])
    #expect(state(life) == "waiting disk")
    #expect(life.take(.diskFree) == [])
    #expect(life.take(.ended(.halted)) == [.enqueue])
  }

  @Test func `a disk that takes no more is waited for`() {
    var life = atWork()
    #expect(life.take(.ended(.diskFull)) == [])
    #expect(state(life) == "waiting disk")
    #expect(life.take(.diskFree) == [.enqueue])
    #expect(state(life) == "waiting queue")
  }

  @Test func `one that waits for the disk can be paused and stopped`() {
    var life = atWork()
    _ = life.take(.ended(.diskFull))
    #expect(life.take(.pause) == .done([]))
    #expect(life.take(.diskFree) == [])
    #expect(state(life) == "paused")
    #expect(life.take(.resume) == .done([.enqueue]))
  }

  @Test func `a server that comes back takes up what was under way, and nothing else`() {
    for phase in ScanLife.Phase.allCases {
      var life = ScanLife(phase)
      #expect(life.takeUp() == (phase == .active ? [.enqueue] : []), "\(phase)")
    }
  }

  @Test func `why it failed is told until it is tried again`() {
    var life = atWork()
    _ = life.take(.ended(.failed("the input is damaged")))
    #expect(life.detail == "the input is damaged")
    _ = life.take(.retry)
    #expect(life.detail == nil)
    #expect(life.isRetry)
    _ = life.take(.admitted)
    _ = life.take(.ended(.complete))
    #expect(state(life) == "failed" && life.detail == "the input is damaged")
  }

  @Test func `what was stopped stays so after its rows are asked for again`() {
    var life = atWork()
    _ = life.take(.stop)
    _ = life.take(.ended(.halted))
    #expect(life.take(.retry) == .done([.enqueue]))
    _ = life.take(.admitted)
    #expect(state(life) == "running")
    _ = life.take(.ended(.complete))
    #expect(state(life) == "stopped")
  }
}

@Suite struct WorkQueueTests {
  private func queue(_ scans: (id: String, user: String, isLocal: Bool)...) -> WorkQueue {
    var queue = WorkQueue()
    for (id, user, isLocal) in scans {
      queue.enter(WorkQueue.Scan(id: id, user: user, isLocal: isLocal))
    }
    return queue
  }

  private func started(_ queue: inout WorkQueue, idle: Set<String> = []) -> [String] {
    var ids: [String] = []
    while let id = queue.next(idle: idle) { ids.append(id) }
    return ids
  }

  @Test func `two of a user work at once, the others in the order in which they came`() {
    var queue = queue(("a", "u", false), ("b", "u", false), ("c", "u", false), ("d", "u", false))
    #expect(started(&queue) == ["a", "b"])
    queue.leave("c")
    queue.leave("a")
    #expect(started(&queue) == ["d"])
  }

  @Test func `one user's scans hold up nobody else`() {
    var queue = queue(("a", "u", false), ("b", "u", false), ("c", "u", false), ("d", "v", false))
    #expect(started(&queue) == ["a", "b", "d"])
  }

  @Test func `a third of a user works where one of them asks local databases alone`() {
    var queue = queue(("a", "u", false), ("b", "u", false), ("c", "u", true), ("d", "u", true))
    #expect(started(&queue) == ["a", "b", "c"])
    queue.leave("c")
    #expect(started(&queue) == ["d"])
    var other = self.queue(("a", "u", true), ("b", "u", false), ("c", "u", false))
    #expect(started(&other) == ["a", "b", "c"])
  }

  @Test func `eight work in all, not counting those that wait for the network or a quota`() {
    var queue = WorkQueue()
    for number in 1...12 {
      queue.enter(WorkQueue.Scan(id: "\(number)", user: "\(number)"))
    }
    #expect(started(&queue).count == 8)
    #expect(started(&queue, idle: ["1", "2"]) == ["9", "10"])
    // Those that go on meanwhile are not stopped.
    #expect(started(&queue) == [])
    for number in 1...3 { queue.leave("\(number)") }
    #expect(started(&queue) == ["11"])
  }

  @Test func `one whose work has not ended yet waits for that`() {
    var queue = queue(("a", "u", false))
    #expect(started(&queue) == ["a"])
    queue.enter(WorkQueue.Scan(id: "a", user: "u"))
    #expect(started(&queue) == [])
    queue.leave("a")
    queue.enter(WorkQueue.Scan(id: "a", user: "u"))
    #expect(started(&queue) == ["a"])
  }
}
