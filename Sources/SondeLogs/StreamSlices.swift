import SondeAddresses
import SondeInputs
import SondeSystem

/// A pipe, or a compressed or UTF-16 file, divided into slices as its text arrives.
final class StreamSlices {
  /// The size of a slice in bytes, if they arrive fast.
  private static let sliceSize = 1 << 20

  private let source: any ByteSource
  /// Drops addresses that are not picked; `nil` if all are.
  private var picker: LinePicker?
  /// Whether slices have whole lines.
  private let keepsLines: Bool
  /// The result of the read with which ``rest`` begins.
  private var first: Fill?
  /// The end of the last slice, and the text read after it.
  private var rest: [UInt8] = []
  /// The number of searched bytes in ``rest``.
  private var searched = 0

  /// The position of ``rest`` in the text.
  private var base = 0

  /// Whether there was any text.
  private(set) var hasText = false

  /// The number of bytes read but not yet part of a slice.
  var unused: Int { rest.count - searched }

  /// Creates slices of a source, whose `beginning` was read with the result `fill`.
  init(
    _ source: any ByteSource,
    beginning: [UInt8] = [],
    _ fill: Fill? = nil,
    picker: LinePicker? = nil,
    keepsLines: Bool = false
  ) {
    self.keepsLines = keepsLines || picker != nil
    (self.source, rest, first, self.picker) = (source, beginning, fill, picker)
  }

  /// Waits for text and cuts a slice from it; returns whether the input ends, and any failure.
  ///
  /// Throws `CancellationError` if the wait was ended.
  func read(
    into slice: inout LogSlice,
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> (isLast: Bool, failure: InputError?) {
    slice.bytes.removeAll(keepingCapacity: true)
    slice.bytes += rest
    slice.base = base
    var deadline: ContinuousClock.Instant?
    while true {
      let wait = ByteWait(until: deadline, interrupt)
      let fill = first ?? source.read(into: &slice.bytes, atMost: Self.sliceSize, wait)
      first = nil
      switch fill {
      case .more where slice.bytes.count < Self.sliceSize: deadline = .now
      case .more, .silence:
        if let cut = lastCut(in: slice), cut.offset > searched {
          end(&slice, at: cut)
          return (false, nil)
        }
        deadline = nil
      case .end:
        end(&slice, at: LogCut(offset: slice.bytes.count, isClean: true))
        return (true, nil)
      case .failure(let failure):
        // The last word may be cut within an address, which must not be reported.
        let end = LogCut(offset: slice.bytes.count, isClean: true)
        let clean = LogCut.lastClean(in: slice.bytes.span, refangs: slice.refangs)
        self.end(&slice, at: failure.isBehindText ? end : clean)
        return (true, failure)
      case .interrupted: throw CancellationError()
      }
    }
  }

  /// The last possible cut; or after a whole line, however long it is.
  private func lastCut(in slice: LogSlice) -> LogCut? {
    let text = slice.bytes.span
    guard keepsLines else { return LogCut.last(in: text, refangs: slice.refangs) }
    return text.lastIndex(of: 0x0a).map { LogCut(offset: $0 + 1, isClean: true) }
  }

  /// Ends a slice, and keeps the following text with the context that it needs.
  private func end(_ slice: inout LogSlice, at cut: LogCut) {
    (slice.count, slice.start, slice.cut) = (slice.bytes.count, min(searched, cut.offset), cut)
    slice.picker = picker
    if let picker, picker.needsColumns {
      var columns = picker.columns
      columns.readAll(slice.bytes.span, in: slice.start..<cut.offset)
      self.picker = picker.below(columns)
    }
    hasText = hasText || !slice.bytes.isEmpty
    let context = max(0, cut.offset - LogCut.reach)
    rest.removeAll(keepingCapacity: true)
    rest += slice.bytes[context...]
    searched = cut.offset - context
    base += context
  }
}
