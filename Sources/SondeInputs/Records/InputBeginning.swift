package import SondeSystem

/// An input read as far as needed to know whether it contains records.
package final class InputBeginning {
  /// The content of an input.
  package enum Finding {
    case records(RecordReader)
    /// Lines of an uncompressed regular file.
    case plainLog
    /// Lines, from a source that starts with the bytes already read.
    case log(any ByteSource)
    /// Packets, with the bytes already read and the result of the last read.
    case capture([UInt8], Fill)
    case failure(InputError)
  }

  private static let sliceSize = 64 << 10

  package let name: String
  package let open: OpenFile
  package let file: InputFile
  private let book: any RecordBook
  private let isPlainFile: Bool
  private var bytes: [UInt8] = []
  private var isAtEnd = false

  package init(_ open: OpenFile, _ file: InputFile, name: String, _ book: any RecordBook) {
    (self.open, self.file, self.name, self.book) = (open, file, name, book)
    isPlainFile = file.isPlainFile
  }

  /// Reads until the content is known; throws `CancellationError` if the wait was ended.
  package func read(interruptedBy interrupt: WakePipe) throws(CancellationError) -> Finding {
    while true {
      let size = max(Self.sliceSize, bytes.count)
      let fill = file.read(into: &bytes, atMost: size, ByteWait(interrupt))
      switch fill {
      case .more, .silence: break
      case .end: isAtEnd = true
      case .failure(let failure): return .failure(failure)
      case .interrupted: throw CancellationError()
      }
      if file.isCapture { return .capture(bytes, fill) }
      let known = bytes
      switch RecordForm.recognize(known.span, isLast: isAtEnd) {
      case .undecided: continue
      case .records(let form):
        return .records(RecordReader(form, file, bytes, isAtEnd: isAtEnd, name: name, book))
      case .unread(let form):
        let reason = "holds records as \(form), which is not read: take CSV or NDJSON, or --log"
        return .failure(InputError(name: name, reason: reason))
      case .none:
        return isPlainFile ? .plainLog : .log(PushedBack(file, bytes, isAtEnd: isAtEnd))
      }
    }
  }
}

/// A source with some bytes read in advance.
private final class PushedBack: ByteSource {
  private let source: any ByteSource
  private var bytes: [UInt8]
  private let isAtEnd: Bool

  init(_ source: any ByteSource, _ bytes: [UInt8], isAtEnd: Bool) {
    (self.source, self.bytes, self.isAtEnd) = (source, bytes, isAtEnd)
  }

  func read(into buffer: inout [UInt8], atMost count: Int, _ wait: ByteWait) -> Fill {
    if !bytes.isEmpty {
      buffer += bytes
      bytes = []
      return .more
    }
    // A terminal would wait for more.
    if isAtEnd { return .end }
    return source.read(into: &buffer, atMost: count, wait)
  }
}
