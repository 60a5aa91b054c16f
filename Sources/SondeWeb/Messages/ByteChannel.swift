internal import Synchronization

/// The connection that the bytes of a channel go to.
protocol ChannelClient: Sendable {
  /// Ends the connection at once.
  func shutDown()
}

/// The body of an answer between its writer and libmicrohttpd, which suspends the connection while
/// there is nothing to send.
final class ByteChannel: Sendable {
  /// The number of unread bytes from which ``write(_:)`` waits.
  static let room = 64 << 10

  /// Whether the body is endless, and so useless once the client has closed its side.
  let isEndless: Bool

  init(isEndless: Bool = false) { self.isEndless = isEndless }

  private enum End { case whole, cut }

  private struct State {
    var bytes: [UInt8] = []
    var read = 0
    var end: End?
    var isClosed = false
    /// The connection, while it is suspended for lack of bytes.
    var suspended: ConnectionHandle?
    var writer: CheckedContinuation<Void, Never>?
    var connection: (any ChannelClient)?
    var onClose: (@Sendable () -> Void)?

    var waiting: Int { bytes.count - read }

    mutating func append(_ chunk: [UInt8]) {
      if read > 0, read * 2 >= bytes.count {
        bytes.removeFirst(read)
        read = 0
      }
      bytes += chunk
      wakeReader()
    }

    mutating func wakeReader() {
      suspended?.resume()
      suspended = nil
    }

    mutating func takeWriter() -> CheckedContinuation<Void, Never>? {
      defer { writer = nil }
      return writer
    }
  }

  private let state = Mutex(State())

  var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: Writing

  /// Appends bytes, and waits while many are unread.
  ///
  /// - Throws: `CancellationError` if there is no reader any more.
  func write(_ chunk: [UInt8]) async throws(CancellationError) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.append(chunk) }
      return state.isClosed
    }
    if isClosed { throw CancellationError() }
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if state.isClosed || state.waiting < ByteChannel.room { return true }
        state.writer = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  /// Appends bytes without waiting, if at most `bound` are then unread.
  ///
  /// Returns false if the reader is gone or too far behind.
  func offer(_ chunk: [UInt8], bound: Int) -> Bool {
    state.withLock { state in
      guard !state.isClosed, state.end == nil, state.waiting + chunk.count <= bound else {
        return false
      }
      state.append(chunk)
      return true
    }
  }

  /// Ends the body after all of it is read.
  func finish() { end(.whole) }

  /// Truncates the body, which the client can detect.
  func cut() { end(.cut) }

  private func end(_ end: End) {
    let writer = state.withLock { state in
      if state.end == nil { state.end = end }
      state.wakeReader()
      return state.takeWriter()
    }
    writer?.resume()
  }

  // MARK: Reading

  /// The next step of the reader.
  enum Reading: Equatable {
    case bytes(Int), finished, cut, suspended
  }

  /// Copies pending bytes, or suspends the connection if there are none; on libmicrohttpd's thread.
  func read(into buffer: UnsafeMutableRawBufferPointer, suspending handle: ConnectionHandle)
    -> Reading
  {
    let (reading, writer) = state.withLock { state in
      if state.isClosed { return (Reading.cut, state.takeWriter()) }
      let count = min(state.waiting, buffer.count)
      guard count > 0 else {
        if let end = state.end { return (end == .whole ? Reading.finished : .cut, nil) }
        handle.suspend()
        state.suspended = handle
        return (Reading.suspended, nil)
      }
      unsafe state.bytes[state.read..<state.read + count].withUnsafeBytes { bytes in
        unsafe buffer.copyMemory(from: bytes)
      }
      state.read += count
      if state.waiting == 0 {
        state.bytes.removeAll(keepingCapacity: state.bytes.capacity <= ByteChannel.room)
        state.read = 0
      }
      return (Reading.bytes(count), state.waiting < ByteChannel.room ? state.takeWriter() : nil)
    }
    writer?.resume()
    return reading
  }

  /// Marks the reader as gone; a suspended connection is resumed to be closed.
  func close() {
    let (writer, onClose) = state.withLock { state in
      defer { (state.onClose, state.connection) = (nil, nil) }
      state.isClosed = true
      state.wakeReader()
      state.bytes = []
      state.read = 0
      return (state.takeWriter(), state.onClose)
    }
    writer?.resume()
    onClose?()
  }

  /// Calls a closure when the reader is gone.
  func onClose(_ body: @escaping @Sendable () -> Void) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.onClose = body }
      return state.isClosed
    }
    if isClosed { body() }
  }

  /// Sets the connection that reads it.
  func attach(_ connection: any ChannelClient) {
    state.withLock { state in if !state.isClosed { state.connection = connection } }
  }

  /// Closes the channel, and the connection at once, even if the client does not read.
  func abort() {
    let connection = state.withLock { $0.connection }
    close()
    connection?.shutDown()
  }
}

/// Writes the body of an answer.
public struct BodyWriter: Sendable {
  let channel: ByteChannel

  /// Whether the client's session is still valid.
  var isAllowed: @Sendable () async -> Bool = { true }

  /// Sends bytes, and waits while the client does not read.
  ///
  /// - Throws: `CancellationError` if the client has disconnected, its session has ended or the
  ///   server stops.
  public func write(_ bytes: [UInt8]) async throws(CancellationError) {
    guard await isAllowed() else { throw CancellationError() }
    try await channel.write(bytes)
  }
}
