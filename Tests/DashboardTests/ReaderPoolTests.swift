import Glibc
import SondeSQLite
import Synchronization
import TestSupport
import Testing

@testable import SondeDashboard

@Suite(.timeLimit(.minutes(1))) struct ReaderPoolTests {
  private let pool = ReaderPool()

  @Test func `of one user two read at once, and another is not kept waiting`() async throws {
    let gate = Gate()
    let running = Mutex(0)
    let order = Mutex<[String]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          try await pool.run(for: "one") { _ in
            running.withLock { $0 += 1 }
            gate.wait()
            order.withLock { $0.append("one") }
          }
        }
      }
      try await waitUntil { running.withLock { $0 } == 2 }
      try await pool.run(for: "other") { _ in order.withLock { $0.append("other") } }
      #expect(running.withLock { $0 } == 2)
      gate.open()
      try await group.waitForAll()
    }
    #expect(order.withLock { $0.first } == "other" && order.withLock { $0.count } == 7)
  }

  @Test func `what is cancelled ends, whether it reads or waits`() async throws {
    let begun = Mutex(0)
    let tasks = (0..<3).map { _ in
      Task {
        try await pool.run(for: "one") { stop in
          begun.withLock { $0 += 1 }
          while !stop.isMade { usleep(1000) }
        }
      }
    }
    try await waitUntil { begun.withLock { $0 } == 2 }
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    #expect(begun.withLock { $0 } == 2)
    #expect(try await pool.run(for: "one") { _ in 7 } == 7)
  }
}
