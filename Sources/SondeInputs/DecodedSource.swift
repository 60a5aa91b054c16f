package import SondeSystem

/// Bytes that come from somewhere when they are asked for.
package protocol ByteSource: AnyObject {
  /// Reads once what is there, or waits for it.
  ///
  /// - Parameters:
  ///   - buffer: Where the bytes are appended.
  ///   - count: The most bytes to append.
  ///   - deadline: When waiting ends; `nil` is never.
  ///   - interrupt: What ends waiting early.
  /// - Returns: What came of it; ``Fill/more`` may have brought nothing yet.
  func read(
    into buffer: inout [UInt8],
    atMost count: Int,
    until deadline: ContinuousClock.Instant?,
    interruptedBy interrupt: WakePipe
  ) -> Fill
}

/// What came of waiting for more bytes.
package enum Fill {
  case more, end, silence, interrupted
  case failure(InputError)

  /// Whether there is nothing more to come.
  package var isEnd: Bool { if case .end = self { true } else { false } }
}

/// The bytes of another source, decoded.
final class DecodedSource: ByteSource {
  private let source: any ByteSource
  private let decoder: any Decoder
  private let name: String
  /// What an input that ends too early is told to be.
  private let incomplete: DecoderError
  private var encoded: [UInt8]
  private var position = 0
  private var isAtEnd: Bool
  /// Whether the decoder may have more to give without more to take.
  private var isFull = false

  /// Makes a source that begins with bytes already read.
  ///
  /// - Parameters:
  ///   - source: Where the rest comes from.
  ///   - beginning: What has been read of it.
  ///   - isAtEnd: Whether that is all.
  ///   - decoder: What decodes it.
  ///   - incomplete: What an input that ends too early is told to be.
  ///   - name: The input's name, for messages.
  init(
    _ source: any ByteSource,
    beginning: [UInt8],
    isAtEnd: Bool,
    decoder: any Decoder,
    incomplete: DecoderError,
    name: String
  ) {
    (self.source, self.decoder, self.incomplete, self.name) = (source, decoder, incomplete, name)
    (encoded, self.isAtEnd) = (beginning, isAtEnd)
  }

  /// The bytes that wait to be decoded.
  var waiting: Int { encoded.count - position }

  func read(
    into buffer: inout [UInt8],
    atMost count: Int,
    until deadline: ContinuousClock.Instant?,
    interruptedBy interrupt: WakePipe
  ) -> Fill {
    if waiting == 0, !isAtEnd, !isFull {
      encoded.removeAll(keepingCapacity: true)
      position = 0
      let fill = source.read(
        into: &encoded,
        atMost: count,
        until: deadline,
        interruptedBy: interrupt
      )
      switch fill {
      // An interrupted read brings nothing, and to a decoder nothing would be the end.
      case .more: if encoded.isEmpty { return .more }
      case .end: isAtEnd = true
      case .silence, .interrupted, .failure: return fill
      }
    }
    do throws(DecoderError) {
      let given = try decode(into: &buffer, count)
      guard isAtEnd, given == 0, waiting == 0 else { return .more }
      if decoder.isComplete { return .end }
      throw incomplete
    } catch {
      return .failure(InputError(name: name, error))
    }
  }

  private func decode(into buffer: inout [UInt8], _ count: Int) throws(DecoderError) -> Int {
    var result: Result<(taken: Int, given: Int), DecoderError> = .success((0, 0))
    buffer.append(addingCapacity: count) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, filled in
        unsafe encoded.withUnsafeBufferPointer { encoded in
          let input = unsafe UnsafeBufferPointer(rebasing: encoded[position...])
          let room = unsafe UnsafeMutableBufferPointer(rebasing: room[..<count])
          do throws(DecoderError) {
            let step = try unsafe decoder.decode(input, into: room)
            filled = step.given
            result = .success(step)
          } catch {
            result = .failure(error)
          }
        }
      }
    }
    let step = try result.get()
    position += step.taken
    isFull = step.given == count
    return step.given
  }
}

extension InputError {
  /// A failure of decoding.
  init(name: String, _ failure: DecoderError) {
    self.init(name: name, reason: failure.reason)
    isBehindText = failure.isBehindText
  }
}
