import SondeAddresses
import SondeInputs
import SondeSystem

/// A pipe, or a file that is compressed or UTF-16, cut into slices as its text comes.
final class StreamSlices {
  /// The bytes of a slice, where they come fast.
  private static let sliceSize = 1 << 20

  private let source: any ByteSource
  /// What came of the read that ``rest`` begins with.
  private var first: Fill?
  /// The end of the last slice, and what follows it of the text read so far.
  private var rest: [UInt8] = []
  /// How much of ``rest`` is searched.
  private var searched = 0

  /// Where ``rest`` begins in the text.
  private var base = 0

  /// Whether there has been any text.
  private(set) var hasText = false

  /// The bytes read of which no slice has been made yet.
  var unused: Int { rest.count - searched }

  /// Makes slices of a source.
  ///
  /// - Parameters:
  ///   - source: Where the bytes come from.
  ///   - beginning: What has been read of it.
  ///   - fill: What came of that.
  init(_ source: any ByteSource, beginning: [UInt8] = [], _ fill: Fill? = nil) {
    (self.source, rest, first) = (source, beginning, fill)
  }

  /// Waits for text and cuts off what has come of it.
  ///
  /// - Parameters:
  ///   - slice: Where it is put.
  ///   - interrupt: What ends waiting early.
  /// - Returns: Whether the input ends with it, and why if not as it should.
  /// - Throws: `CancellationError` when the wait was ended.
  func read(
    into slice: inout LogSlice,
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> (isLast: Bool, failure: InputError?) {
    slice.bytes.removeAll(keepingCapacity: true)
    slice.bytes += rest
    slice.base = base
    var deadline: ContinuousClock.Instant?
    while true {
      let fill =
        first
        ?? source.read(
          into: &slice.bytes,
          atMost: Self.sliceSize,
          until: deadline,
          interruptedBy: interrupt
        )
      first = nil
      switch fill {
      case .more where slice.bytes.count < Self.sliceSize: deadline = .now
      case .more, .silence:
        if let cut = LogCut.last(in: slice.bytes.span), cut.offset > searched {
          end(&slice, at: cut)
          return (false, nil)
        }
        deadline = nil
      case .end:
        end(&slice, at: LogCut(offset: slice.bytes.count, isClean: true))
        return (true, nil)
      case .failure(let failure):
        // The last word may be cut in the middle of an address, which would be another one.
        let end = LogCut(offset: slice.bytes.count, isClean: true)
        self.end(&slice, at: failure.isBehindText ? end : LogCut.lastClean(in: slice.bytes.span))
        return (true, failure)
      case .interrupted: throw CancellationError()
      }
    }
  }

  /// Ends a slice, and keeps what follows for the next one, with what that must see before it.
  private func end(_ slice: inout LogSlice, at cut: LogCut) {
    (slice.count, slice.start, slice.cut) = (slice.bytes.count, min(searched, cut.offset), cut)
    hasText = hasText || !slice.bytes.isEmpty
    let context = max(0, cut.offset - LogCut.reach)
    rest.removeAll(keepingCapacity: true)
    rest += slice.bytes[context...]
    searched = cut.offset - context
    base += context
  }
}
