import Glibc
public import SondeInputs
import SondeStore
import SondeSystem

extension Input {
  /// Whether reading it again gives the same content, which is false for pipes, even named ones.
  public var canBeReadAgain: Bool {
    switch self {
    case .standardInput: return false
    case .literal: return true
    case .file(let path):
      var status = stat()
      return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }
  }
}

extension InputMark {
  /// Checks that the inputs still begin with what was read from them, and have only grown.
  ///
  /// Only lines that start in `range` were read; `nil` for all.
  func check(
    _ inputs: [Input],
    as earlier: ScanJob,
    _ job: ScanJob,
    range: Range<Int>? = nil
  ) throws(ResumeError) {
    var mark = InputMark()
    for (index, input) in inputs.enumerated() where index <= Int(clamping: self.input) {
      mark.turn(to: UInt64(index))
      guard case .file = input else { continue }
      guard input.canBeReadAgain else {
        throw ResumeError("\(input.name) cannot be read again")
      }
      let isLast = UInt64(index) == self.input
      // If it is unreadable, it was unreadable before, or the marks differ.
      guard let read = try? Self.hash(input, range, upTo: isLast ? length : .max) else { continue }
      (mark.length, mark.hash) = (read.hash.count, read.hash.value)
      if isLast, endsInLine, read.hasMore {
        throw ResumeError("\(input.name) has grown within its last line")
      }
    }
    guard mark.finished == finished else {
      // Names the finished input that was written to since.
      let changed = zip(earlier.inputs, job.inputs).prefix(Int(clamping: input)).first {
        $0.file != $1.file
      }
      throw .changed(
        changed?.1.name ?? "an input",
        isNew: changed.map { $0.0.file == nil } ?? false
      )
    }
    guard mark.length == length, mark.hash == hash else {
      throw .changed(inputs.dropFirst(Int(clamping: input)).first?.name ?? "an input")
    }
  }

  /// The hash of the first bytes of a file, or of a range of it, and whether there are more.
  private static func hash(
    _ input: Input,
    _ range: Range<Int>?,
    upTo limit: UInt64
  ) throws -> (hash: SlicedChecksum, hasMore: Bool) {
    let text = FileText(try OpenFile(input), name: input.name, range: range)
    let wait = ByteWait(try WakePipe.forInputs())
    var (hash, buffer): (SlicedChecksum, [UInt8]) = (SlicedChecksum(), [])
    while hash.count < limit {
      buffer.removeAll(keepingCapacity: true)
      let count = Int(min(1 << 20, limit - hash.count))
      guard case .more = text.read(into: &buffer, atMost: count, wait) else {
        return (hash, false)
      }
      hash.update(buffer.span)
    }
    return (hash, text.hasMore)
  }
}
