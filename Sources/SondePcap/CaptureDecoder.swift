import Dispatch
import Glibc
import SondeSystem
import Synchronization

/// Decodes the packets of a capture whose bytes are supplied incrementally.
///
/// libpcap pulls its input, so it runs on a separate thread, which pauses when it needs more bytes
/// and returns the packets read so far.
public final class CaptureDecoder: Sendable {
  private let exchange = Exchange()

  /// Starts a decoder; fails if no thread can be started.
  public init() throws(CaptureError) {
    do throws(SystemError) {
      try Thread { [exchange] in CaptureWorker(exchange).run() }.detach()
    } catch {
      throw CaptureError("\(error)")
    }
  }

  deinit { exchange.abandon() }

  /// Decodes the next bytes, and returns the packets with an address that are now complete; must
  /// not be called concurrently.
  ///
  /// The returned error ended decoding; all later input is ignored.
  public func decode(
    _ bytes: [UInt8],
    isLast: Bool
  ) -> (packets: [CapturedPacket], error: CaptureError?) {
    exchange.decode(bytes, isLast: isLast)
  }
}

/// The state shared by the caller and the decoding thread.
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

  func decode(_ bytes: [UInt8], isLast: Bool) -> (packets: [CapturedPacket], error: CaptureError?) {
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

  /// Makes the thread end, whatever it waits for.
  func abandon() {
    state.withLock { ($0.bytes, $0.position, $0.isLast) = ([], 0, true) }
    given.signal()
  }

  func begin() { given.wait() }

  /// Returns packets to the caller; with an error, they are the last.
  func end(_ packets: [CapturedPacket], _ error: CaptureError?) {
    state.withLock { ($0.packets, $0.error, $0.hasEnded) = (packets, error, true) }
    taken.signal()
  }

  /// Copies the next bytes, or returns packets and waits for more if there are none; 0 at the end.
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

/// The work of the decoding thread.
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
