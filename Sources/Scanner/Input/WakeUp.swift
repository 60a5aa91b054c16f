import Glibc

/// A pipe to oneself that ends a wait in `poll` from another thread (signal-safe, stays signalled).
final class WakeUp: Sendable {
  /// How a wait ended.
  enum Wait {
    case ready, timedOut, interrupted
  }

  private let reading: Int32
  private let writing: Int32

  init() throws(InputFailure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw InputFailure(name: "pipe", reason: systemError())
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Ends the present wait and every later one.
  func signal() {
    var byte: UInt8 = 1
    _ = unsafe write(writing, &byte, 1)
  }

  /// Waits until a descriptor is readable, its writer is gone, or the deadline has passed.
  func wait(for descriptor: Int32, until deadline: ContinuousClock.Instant?) -> Wait {
    while true {
      var polled = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&polled, 2, milliseconds(until: deadline))
      if polled[1].revents != 0 { return .interrupted }
      if polled[0].revents != 0 { return .ready }
      if count == 0, let deadline, ContinuousClock.now >= deadline { return .timedOut }
    }
  }

  private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = deadline - ContinuousClock.now
    return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)).clamped(to: 0...60_000))
  }
}

extension Comparable {
  fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
