import Dispatch
import Glibc
import Synchronization
import SondeSystem

/// The packets of a capture whose bytes are given in pieces, as they come.
///
/// libpcap asks for bytes when it wants them. So it runs on a thread of its own, which stops where the
/// bytes given so far end, and gives out the packets until there.
public final class CaptureDecoder: Sendable {
  private let exchange = Exchange()

  /// Begins to decode.
  ///
  /// - Throws: ``CaptureError`` when there can be no thread.
  public init() throws(CaptureError) {
    do throws(SystemError) {
      try Thread { [exchange] in CaptureWorker(exchange).run() }.detach()
    } catch {
      throw CaptureError("\(error)")
    }
  }

  deinit { exchange.abandon() }

  /// Decodes the next bytes; only one thread at a time may.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - isLast: Whether they are the last ones.
  /// - Returns: The packets that have an address and end with these bytes, and why there can be no
  ///   more; whatever is given after that is ignored.
  public func decode(
    _ bytes: [UInt8],
    isLast: Bool
  ) -> (packets: [CapturedPacket], error: CaptureError?) {
    exchange.decode(bytes, isLast: isLast)
  }
}

/// What passes between who gives bytes and the thread that decodes them.
private final class Exchange: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var position = 0
    var isLast = false
    var packets: [CapturedPacket] = []
    var error: CaptureError?
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let given = DispatchSemaphore(value: 0)
  private let taken = DispatchSemaphore(value: 0)

  func decode(
    _ bytes: [UInt8],
    isLast: Bool
  ) -> (packets: [CapturedPacket], error: CaptureError?) {
    let hasEnded = state.withLock { state in
      (state.bytes, state.position, state.isLast) = (bytes, 0, isLast)
      return state.hasEnded
    }
    guard !hasEnded, isLast || !bytes.isEmpty else { return ([], nil) }
    given.signal()
    taken.wait()
    return state.withLock { state in
      defer { (state.packets, state.error) = ([], nil) }
      return (state.packets, state.error)
    }
  }

  /// Lets the thread end, whatever it waits for.
  func abandon() {
    state.withLock { ($0.bytes, $0.position, $0.isLast) = ([], 0, true) }
    given.signal()
  }

  /// Waits for the first bytes.
  func begin() { given.wait() }

  /// Gives packets out, and whether that is all.
  func end(_ packets: [CapturedPacket], _ error: CaptureError?) {
    state.withLock { ($0.packets, $0.error, $0.hasEnded) = (packets, error, true) }
    taken.signal()
  }

  /// Copies the next bytes, and where there are none, gives packets out and waits for more.
  ///
  /// - Returns: How many; 0 at the end.
  func read(
    into room: UnsafeMutableRawBufferPointer,
    afterGiving packets: () -> [CapturedPacket]
  ) -> Int {
    while true {
      let (count, isLast) = state.withLock { state in
        let count = min(room.count, state.bytes.count - state.position)
        unsafe state.bytes.withUnsafeBytes { bytes in
          let next = unsafe UnsafeRawBufferPointer(rebasing: bytes[state.position...].prefix(count))
          unsafe room.copyMemory(from: next)
        }
        state.position += count
        return (count, state.isLast)
      }
      if count > 0 || isLast { return count }
      let packets = packets()
      state.withLock { $0.packets = packets }
      taken.signal()
      given.wait()
    }
  }
}

/// What runs on the thread.
private final class CaptureWorker {
  private let exchange: Exchange
  private var packets: [CapturedPacket] = []

  init(_ exchange: Exchange) { self.exchange = exchange }

  func run() {
    exchange.begin()
    var failure: CaptureError?
    do throws(CaptureError) {
      try decode()
    } catch {
      failure = error
    }
    exchange.end(packets, failure)
  }

  private func decode() throws(CaptureError) {
    let stream = unsafe CaptureStream { unsafe self.read(into: $0) }
    let handle = try CaptureHandle(stream)
    while true {
      switch try handle.next() {
      case .packet(let packet): packets.append(packet)
      case .nothing: continue
      case .end: return
      }
    }
  }

  private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    unsafe exchange.read(into: room) {
      defer { packets = [] }
      return packets
    }
  }
}
