import Glibc
import Store
import System

/// One open input: its bytes, unpacked where it is compressed.
final class InputFile {
  /// What came of waiting for more.
  enum Fill {
    case more, end, silence, interrupted
    case failure(InputFailure)
  }

  private enum Packing {
    /// Too few bytes have been read to tell.
    case undecided
    case plain
    case compressed(any Decoder)
  }

  private let source: InputDescriptor
  private var packing = Packing.undecided
  private var packed: [UInt8] = []
  private var unpacked = 0
  private var isAtEnd = false

  /// The size of a regular file in bytes, as it lies on the disk.
  var size: UInt64? { source.size }

  /// The bytes read from the disk or pipe, still packed.
  var taken: Checksum { source.taken }

  /// Whether it has turned out to be compressed.
  var isCompressed: Bool { if case .compressed = packing { true } else { false } }

  init(_ input: Input) throws(InputFailure) { source = try InputDescriptor(input) }

  /// The file as one that several threads read at once; see ``InputDescriptor/shared()``.
  func shared() -> SharedFile? { source.shared() }

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
  ) -> Fill {
    switch packing {
    case .plain:
      return source.read(
        into: &buffer,
        atMost: count,
        until: deadline,
        interruptedBy: interrupt
      )
    case .undecided:
      let fill = source.read(
        into: &packed,
        atMost: count,
        until: deadline,
        interruptedBy: interrupt
      )
      if case .failure = fill { return fill }
      return decide(isAtEnd: fill.isEnd, into: &buffer) ?? fill
    case .compressed(let decoder):
      return unpack(with: decoder, &buffer, count, deadline, interrupt)
    }
  }

  /// Looks at the first bytes; `nil` while they are too few.
  private func decide(isAtEnd: Bool, into buffer: inout [UInt8]) -> Fill? {
    switch Compression.judge(packed) {
    case .undecided where !isAtEnd: return nil
    case .undecided, .plain:
      packing = .plain
      buffer += packed
      packed = []
      return isAtEnd ? .end : .more
    case .compressed(let format):
      do {
        packing = .compressed(try format.decoder())
        self.isAtEnd = isAtEnd
        return .more
      } catch {
        return .failure(failure(error))
      }
    }
  }

  private func unpack(
    with decoder: any Decoder,
    _ buffer: inout [UInt8],
    _ count: Int,
    _ deadline: ContinuousClock.Instant?,
    _ interrupt: WakePipe
  ) -> Fill {
    if unpacked == packed.count, !isAtEnd {
      packed.removeAll(keepingCapacity: true)
      unpacked = 0
      let fill = source.read(
        into: &packed,
        atMost: count,
        until: deadline,
        interruptedBy: interrupt
      )
      switch fill {
      // An interrupted read brings nothing, and to a decoder nothing would be the end.
      case .more: if packed.isEmpty { return .more }
      case .end: isAtEnd = true
      case .silence, .interrupted, .failure: return fill
      }
    }
    do throws(DecodingFailure) {
      let given = try decode(decoder, into: &buffer, count)
      guard isAtEnd, given == 0, unpacked == packed.count else { return .more }
      if decoder.isComplete { return .end }
      throw .cutShort
    } catch {
      return .failure(failure(error))
    }
  }

  private func decode(
    _ decoder: any Decoder,
    into buffer: inout [UInt8],
    _ count: Int
  ) throws(DecodingFailure) -> Int {
    var result: Result<(taken: Int, given: Int), DecodingFailure> = .success((0, 0))
    buffer.append(addingCapacity: count) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, filled in
        unsafe packed.withUnsafeBufferPointer { packed in
          let input = unsafe UnsafeBufferPointer(rebasing: packed[unpacked...])
          let room = unsafe UnsafeMutableBufferPointer(rebasing: room[..<count])
          do throws(DecodingFailure) {
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
    unpacked += step.taken
    return step.given
  }

  private func failure(_ error: DecodingFailure) -> InputFailure {
    InputFailure(name: source.name, reason: error.reason)
  }
}

extension InputFile.Fill {
  /// Whether there is nothing more to come.
  fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}
