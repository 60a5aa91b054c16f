import SondeInputs
import SondeSystem

/// The text of one input, cut into blocks of whole lines as it comes.
struct LineText {
  /// The bytes of a block as a rule: few enough for a processor's own cache.
  private static let blockSize = 256 << 10
  /// A line with more bytes than this before its line feed is not held in memory: it passes unchanged.
  private static let longestLine = 16 << 20

  /// What came of reading.
  typealias End = (isLast: Bool, failure: InputError?)

  private let file: InputFile
  private let source: any ByteSource
  private var cutter: any LineCutter
  /// The begin of a line whose end has not been read yet.
  private var rest: [UInt8] = []
  /// How much of it the cutter has seen.
  private var searched = 0
  /// Whether the line at hand is too long, and passes unchanged.
  private var isSkipping = false
  /// Why the input has ended, once that is known, where a cut-off line comes before it.
  private var failure: InputError?
  /// Whether there has been any text.
  private(set) var hasText = false

  /// Begins an input.
  ///
  /// - Parameters:
  ///   - file: The input.
  ///   - source: Where its bytes come from: the input itself, or a shorter way to the same.
  ///   - cutter: What cuts it.
  init(_ file: InputFile, from source: any ByteSource, cutter: any LineCutter) {
    (self.file, self.source, self.cutter) = (file, source, cutter)
  }

  /// Whether it was UTF-16.
  var isConverted: Bool { file.isUTF16 }

  /// What a person should know of it, once it has ended.
  var remark: String? { cutter.remark }

  /// Where in the input, as it lies on the disk, the last block ends.
  var position: UInt64 {
    if let text = source as? FileText { return text.taken - min(text.taken, UInt64(rest.count)) }
    return file.position(unused: rest.count)
  }

  /// Waits for whole lines.
  ///
  /// - Parameters:
  ///   - slice: Where they are put; empty before.
  ///   - interrupt: What ends waiting early.
  /// - Returns: Whether the input ends with them, and why if not as it should.
  /// - Throws: `CancellationError` when the wait was ended.
  mutating func read(
    into slice: inout LineSlice,
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> End {
    slice.block.bytes += rest
    rest.removeAll(keepingCapacity: true)
    if let failure { return (true, breakOff(&slice, failure)) }
    var deadline: ContinuousClock.Instant?
    while true {
      let fill = source.read(
        into: &slice.block.bytes,
        atMost: Self.room(behind: slice.block.bytes.count),
        until: deadline,
        interruptedBy: interrupt
      )
      hasText = hasText || !slice.block.bytes.isEmpty
      switch fill {
      case .more where slice.block.bytes.count < Self.blockSize: deadline = .now
      case .more, .silence:
        if let end = cut(&slice, isLast: false) { return end }
        deadline = nil
      case .end: return cut(&slice, isLast: true) ?? (true, nil)
      case .failure(let failure): return end(&slice, with: failure)
      case .interrupted: throw CancellationError()
      }
    }
  }

  /// How much more is read where there are so many bytes of a line: as much again, but no line grows
  /// beyond the longest unnoticed.
  private static func room(behind count: Int) -> Int {
    max(1, min(max(blockSize, count), longestLine + 1 - count))
  }

  /// Ends an input that failed, perhaps in the middle of an address.
  private mutating func end(_ slice: inout LineSlice, with failure: InputError) -> End {
    self.failure = failure
    guard let end = cut(&slice, isLast: failure.isBehindText) else {
      return (true, breakOff(&slice, failure))
    }
    return end.isLast ? (true, end.failure ?? failure) : end
  }

  private func breakOff(_ slice: inout LineSlice, _ failure: InputError) -> InputError {
    if !isSkipping, let searcher = cutter.breakSearcher {
      slice.searcher = searcher
    } else {
      slice.pass(lines: slice.block.bytes.isEmpty && !isSkipping ? 0 : 1)
    }
    return failure
  }

  /// Cuts off what whole lines there are; `nil` where there are none yet.
  private mutating func cut(_ slice: inout LineSlice, isLast: Bool) -> End? {
    let count = slice.block.bytes.count
    if isSkipping { return skip(&slice, isLast: isLast) }
    do throws(InputError) {
      let end = try cutter.cut(slice.block.bytes.span, from: min(searched, count), isLast: isLast)
      if end > 0 || isLast {
        split(&slice, at: end)
        slice.searcher = cutter.searcher
        return (isLast, nil)
      }
    } catch {
      slice.block.bytes.removeAll()
      return (true, error)
    }
    searched = count
    guard count > Self.longestLine else { return nil }
    (isSkipping, searched) = (true, 0)
    slice.pass(lines: 0)
    return (false, nil)
  }

  /// Passes on what there is of a line that is too long.
  private mutating func skip(_ slice: inout LineSlice, isLast: Bool) -> End {
    let end = cutter.skip(slice.block.bytes.span, isLast: isLast)
    if let end {
      isSkipping = false
      split(&slice, at: end)
      // The cutter has seen nothing of what follows.
      searched = 0
    }
    let isWhole = isLast && rest.isEmpty
    slice.pass(lines: end != nil || isWhole ? 1 : 0)
    slice.block.longCount = slice.block.lineCount
    return (isWhole, nil)
  }

  private mutating func split(_ slice: inout LineSlice, at end: Int) {
    rest += slice.block.bytes[end...]
    slice.block.bytes.removeLast(slice.block.bytes.count - end)
    searched = rest.count
  }
}
