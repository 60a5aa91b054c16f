package import SondeSystem

/// A source of bytes, read on demand.
package protocol ByteSource: AnyObject {
  /// Reads available bytes once, or waits for some.
  ///
  /// ``Fill/more`` may have brought nothing yet.
  func read(into buffer: inout [UInt8], atMost count: Int, _ wait: ByteWait) -> Fill
}

/// How long to wait for bytes.
package struct ByteWait {
  /// The latest time; `nil` for no limit.
  package let deadline: ContinuousClock.Instant?
  /// Ends the wait.
  package let interrupt: WakePipe

  package init(until deadline: ContinuousClock.Instant? = nil, _ interrupt: WakePipe) {
    (self.deadline, self.interrupt) = (deadline, interrupt)
  }
}

/// The result of waiting for bytes.
package enum Fill {
  case more, end, silence, interrupted
  case failure(InputError)

  package var isEnd: Bool { if case .end = self { true } else { false } }
}

/// The bytes of another source, decoded.
final class DecodedSource: ByteSource {
  private let source: any ByteSource
  private let decoder: any Decoder
  private let name: String
  /// The error for an input that ends too early.
  private let incomplete: DecoderError
  private var encoded: [UInt8]
  private var position = 0
  private var isAtEnd: Bool
  /// Whether the decoder may have more output without more input.
  private var isFull = false

  /// Creates a source whose first bytes were already read; `isAtEnd` means that they are all.
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

  /// The number of bytes waiting to be decoded.
  var waiting: Int { encoded.count - position }

  func read(into buffer: inout [UInt8], atMost count: Int, _ wait: ByteWait) -> Fill {
    if waiting == 0, !isAtEnd, !isFull {
      encoded.removeAll(keepingCapacity: true)
      position = 0
      let fill = source.read(into: &encoded, atMost: count, wait)
      switch fill {
      // An interrupted read brings nothing, which the decoder would take for the end.
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
  init(name: String, _ failure: DecoderError) {
    self.init(name: name, reason: failure.reason)
    isBehindText = failure.isBehindText
  }
}
