import Glibc
import Testing

@testable import SondeSystem

@Suite struct InterruptionTests {
  /// Both ends of a pipe that is full.
  private func fullPipe() throws -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let bytes = [UInt8](repeating: 0, count: 4096)
    while unsafe write(ends[1], bytes, bytes.count) > 0 {}
    _ = fcntl(ends[1], F_SETFL, 0)
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
  }

  @Test(.timeLimit(.minutes(1))) func `a write that waits for its reader is ended`() throws {
    let pipe = try fullPipe()
    let interruption = Interruption()
    let thread = try Thread {
      usleep(50_000)
      interruption.end()
    }
    let bytes: [UInt8] = [1, 2, 3]
    #expect(interruption.run { unsafe write(pipe.writing.number, bytes, bytes.count) } == nil)
    #expect(interruption.isOver)
    thread.join()
  }

  @Test(.timeLimit(.minutes(1))) func `a writer is told what kept it from its end`() throws {
    let pipe = try fullPipe()
    let interruption = Interruption()
    let thread = try Thread {
      usleep(50_000)
      interruption.end()
    }
    // Shared with somebody who does not want to wait.
    _ = fcntl(pipe.writing.number, F_SETFL, O_NONBLOCK)
    #expect(pipe.writing.write([1, 2, 3], endedBy: interruption) == (0, .interrupted))
    thread.join()
    let refused = pipe.reading.write([1, 2, 3], endedBy: nil)
    #expect(refused == (0, .failed(SystemError(EBADF))))
    #expect(pipe.reading.write([], endedBy: nil) == (0, nil))
  }

  @Test(.timeLimit(.minutes(1))) func `one that must wait writes all`() throws {
    let pipe = try fullPipe()
    _ = fcntl(pipe.writing.number, F_SETFL, O_NONBLOCK)
    let number = pipe.reading.number
    let bytes = [UInt8](repeating: 1, count: 300_000)
    let thread = try Thread {
      var (buffer, ones) = ([UInt8](repeating: 0, count: 4096), 0)
      while ones < 300_000 {
        let count = unsafe read(number, &buffer, buffer.count)
        ones += buffer.prefix(max(0, count)).count { $0 == 1 }
      }
    }
    #expect(pipe.writing.write(bytes, endedBy: nil) == (bytes.count, nil))
    thread.join()
  }

  @Test func `what does not wait is not ended, and nothing begins afterwards`() throws {
    let interruption = Interruption()
    #expect(interruption.run { 7 } == 7)
    #expect(
      interruption.run {
        errno = EBADF; return -1
      } == -1
    )
    interruption.end()
    #expect(interruption.run { 7 } == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `a hang-up is told, and a wait for it can be ended`() throws {
    let pipe = try fullPipe()
    let wake = try WakePipe()
    #expect(wake.wait(for: .hangUp, of: pipe.writing.number, until: .now) == .timedOut)
    _ = dup2(pipe.writing.number, pipe.reading.number)
    #expect(wake.wait(for: .hangUp, of: pipe.writing.number) == .ready)
    wake.ring()
    #expect(wake.wait(for: .hangUp, of: pipe.writing.number) == .rung)
  }
}
