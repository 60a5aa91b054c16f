import Synchronization
import Testing

@testable import SondeReachability

@Suite struct LinkCaptureTests {
  /// A libpcap that takes a given time, and a clock that only it moves on.
  private final class Imitation: Sendable {
    struct State {
      var now = Duration.seconds(100)
      var cost = Duration.zero
      var asked = 0
      var beside: [@Sendable () -> Void] = []
      var hasThreads = true
    }

    let state = Mutex(State())

    var world: LinkCapture.World {
      LinkCapture.World {
        self.state.withLock { state in
          state.now += state.cost
          state.asked += 1
          return ["eth0": CapturedLink(flags: state.asked.isMultiple(of: 2) ? 0x26 : 0x16)]
        }
      } now: {
        self.state.withLock(\.now)
      } run: { body in
        self.state.withLock { state in
          if state.hasThreads { state.beside.append(body) }
          return state.hasThreads
        }
      }
    }

    var asked: Int { state.withLock(\.asked) }
    func set(cost: Duration) { state.withLock { $0.cost = cost } }
    func pass(_ time: Duration) { state.withLock { $0.now += time } }

    /// Runs what was to run beside.
    func runBeside() -> Int {
      let bodies = state.withLock { state in
        defer { state.beside = [] }
        return state.beside
      }
      for body in bodies { body() }
      return bodies.count
    }
  }

  private let libpcap = Imitation()

  @Test func `as long as it is quick it is asked at each look`() {
    var capture = LinkCapture(libpcap.world)
    libpcap.set(cost: .milliseconds(10))
    for number in 1...5 {
      #expect(capture.read().isCurrent)
      #expect(libpcap.asked == number)
    }
    // Held up once, as on a busy machine.
    libpcap.set(cost: .milliseconds(80))
    #expect(capture.read().isCurrent)
    libpcap.set(cost: .milliseconds(1))
    #expect(capture.read().isCurrent && libpcap.asked == 7)
  }

  @Test func `where it is slow it is asked beside and seldom`() {
    var capture = LinkCapture(libpcap.world)
    libpcap.set(cost: .milliseconds(100))
    #expect(capture.read().isCurrent)
    #expect(capture.read().isCurrent)
    libpcap.pass(.milliseconds(1999))
    #expect(!capture.read().isCurrent && libpcap.runBeside() == 0)
    libpcap.pass(.milliseconds(1))
    #expect(!capture.read().isCurrent)
    #expect(!capture.read().isCurrent && libpcap.asked == 2, "nobody waits for it")
    #expect(libpcap.runBeside() == 1)
    let (links, isCurrent) = capture.read()
    #expect(!isCurrent && links?["eth0"]?.status == .connected && libpcap.asked == 3)
  }

  @Test func `once it is quick again, or no thread is to be had, it is asked at each look`() {
    var capture = LinkCapture(libpcap.world)
    libpcap.set(cost: .milliseconds(100))
    _ = capture.read()
    _ = capture.read()
    libpcap.pass(.seconds(2))
    libpcap.state.withLock { $0.hasThreads = false }
    #expect(capture.read().isCurrent)
    libpcap.state.withLock { $0.hasThreads = true }
    libpcap.set(cost: .milliseconds(1))
    libpcap.pass(.seconds(2))
    #expect(!capture.read().isCurrent)
    #expect(libpcap.runBeside() == 1)
    #expect(capture.read().isCurrent)
  }
}
