import SondeInputs
import SondeSystem

/// The text of one input, cut into blocks of whole lines as it arrives.
struct LineText {
  /// The usual size of a block in bytes, small enough for a processor's own cache.
  private static let blockSize = 256 << 10
  /// The longest line kept in memory; longer ones are copied unchanged.
  private static let longestLine = 16 << 20

  /// The result of a read.
  typealias End = (isLast: Bool, failure: InputError?)

  private let file: InputFile
  private let source: any ByteSource
  private var cutter: any LineCutter
  /// The beginning of an incomplete line.
  private var rest: [UInt8] = []
  /// How much of it the cutter has examined.
  private var searched = 0
  /// Whether the current line is too long, and is copied unchanged.
  private var isSkipping = false
  /// The error that ended the input, to be reported after a truncated line.
  private var failure: InputError?

  /// Starts an input; the `source` of its bytes is the input itself, or a faster one.
  init(_ file: InputFile, from source: any ByteSource, cutter: any LineCutter) {
    (self.file, self.source, self.cutter) = (file, source, cutter)
  }

  /// Whether it was UTF-16.
  var isConverted: Bool { file.isUTF16 }

  var remark: String? { cutter.remark }

  /// The position on disk of the last block's end.
  var position: UInt64 {
    if let text = source as? FileText { return text.taken - min(text.taken, UInt64(rest.count)) }
    return file.position(unused: rest.count)
  }

  /// Waits for whole lines and puts them into an empty slice; returns whether the input ends.
  ///
  /// Throws `CancellationError` if the wait was ended.
  mutating func read(
    into slice: inout LineSlice,
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> End {
    slice.block.bytes += rest
    rest.removeAll(keepingCapacity: true)
    if let failure { return (true, breakOff(&slice, failure)) }
    var deadline: ContinuousClock.Instant?
    while true {
      let room = Self.room(behind: slice.block.bytes.count)
      let wait = ByteWait(until: deadline, interrupt)
      switch source.read(into: &slice.block.bytes, atMost: room, wait) {
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

  /// How much to read of an incomplete line: as much again, but just beyond the longest line.
  private static func room(behind count: Int) -> Int {
    max(1, min(max(blockSize, count), longestLine + 1 - count))
  }

  /// Ends an input that failed, perhaps within an address.
  private mutating func end(_ slice: inout LineSlice, with failure: InputError) -> End {
    self.failure = failure
    guard let end = cut(&slice, isLast: failure.isBehindText) else {
      return (true, breakOff(&slice, failure))
    }
    return end.isLast ? (true, end.failure ?? failure) : end
  }

  private func breakOff(_ slice: inout LineSlice, _ failure: InputError) -> InputError {
    slice.isBrokenOff = true
    if isSkipping { slice.leaveOut() }
    if !isSkipping, let searcher = cutter.breakSearcher {
      slice.searcher = searcher
    } else {
      slice.pass(lines: slice.block.bytes.isEmpty && !isSkipping ? 0 : 1)
    }
    return failure
  }

  /// Cuts complete lines; `nil` if there are none yet.
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
    slice.leaveOut()
    return (false, nil)
  }

  /// Copies what there is of a line that is too long.
  private mutating func skip(_ slice: inout LineSlice, isLast: Bool) -> End {
    let end = cutter.skip(slice.block.bytes.span, isLast: isLast)
    if let end {
      isSkipping = false
      split(&slice, at: end)
      // The cutter has not examined what follows.
      searched = 0
    }
    let isWhole = isLast && rest.isEmpty
    slice.pass(lines: end != nil || isWhole ? 1 : 0)
    slice.block.longCount = slice.block.lineCount
    slice.leaveOut()
    return (isWhole, nil)
  }

  private mutating func split(_ slice: inout LineSlice, at end: Int) {
    rest += slice.block.bytes[end...]
    slice.block.bytes.removeLast(slice.block.bytes.count - end)
    searched = rest.count
  }
}
