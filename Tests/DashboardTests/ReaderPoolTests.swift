import Glibc
import SondeSQLite
import Synchronization
import TestSupport
import Testing

@testable import SondeDashboard

/// What readers have done so far.
private final class Readings: Sendable {
  let begun = Mutex(0)
  let ended = Mutex<[String]>([])
}

@Suite(.timeLimit(.minutes(1))) struct ReaderPoolTests {
  private let pool = ReaderPool()

  @Test func `of one user two read at once, and another is not kept waiting`() async throws {
    let gate = Gate()
    let readings = Readings()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask { [pool] in
          try await pool.run(for: "one") { _ in
            readings.begun.withLock { $0 += 1 }
            gate.wait()
            readings.ended.withLock { $0.append("one") }
          }
        }
      }
      try await waitUntil { readings.begun.withLock { $0 } == 2 }
      try await pool.run(for: "other") { _ in readings.ended.withLock { $0.append("other") } }
      #expect(readings.begun.withLock { $0 } == 2)
      gate.open()
      try await group.waitForAll()
    }
    #expect(
      readings.ended.withLock { $0.first } == "other" && readings.ended.withLock { $0.count } == 7
    )
  }

  @Test func `what is cancelled ends, whether it reads or waits`() async throws {
    let readings = Readings()
    let tasks = (0..<3).map { [pool] _ in
      Task {
        try await pool.run(for: "one") { stop in
          readings.begun.withLock { $0 += 1 }
          while !stop.isMade { usleep(1000) }
        }
      }
    }
    try await waitUntil { readings.begun.withLock { $0 } == 2 }
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    #expect(readings.begun.withLock { $0 } == 2)
    #expect(try await pool.run(for: "one") { _ in 7 } == 7)
  }
}
