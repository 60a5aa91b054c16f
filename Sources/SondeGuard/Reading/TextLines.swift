package import SondeAddresses
package import SondeInputs
package import SondeSystem

/// The lines of an input that is read to its end.
package final class TextLines {
  /// The longest line in bytes; longer ones are left out.
  package static let longest = 16 << 20
  /// The number of bytes that are read at once.
  private static let piece = 256 << 10

  package let name: String
  private let file: InputFile
  private let interrupt: WakePipe
  private var buffer: [UInt8] = []
  private var position = 0
  /// How much of the buffer, from the position on, has no line end.
  private var searched = 0
  /// The addresses in the lines of the buffer, once they are asked for, and the place behind these lines.
  private var matches: [LogMatch] = []
  private var matchedTo = 0
  /// The first address that may lie in the next line.
  private var nextMatch = 0
  private var isAtEnd = false
  private var isSkipping = false
  /// The number of lines that were too long.
  package private(set) var leftOut = 0
  /// Why reading ended early.
  package private(set) var failure: InputError?

  /// Opens an input; a wait for it ends when `interrupt` is rung.
  ///
  /// - Throws: ``InputError``.
  package init(_ input: Input, interruptedBy interrupt: WakePipe) throws(InputError) {
    (name, self.interrupt) = (input.name, interrupt)
    file = try InputFile(input)
  }

  /// The next line, without its end; `nil` at the end of the input.
  ///
  /// It keeps all bytes that were read with it in memory, as long as it is kept itself.
  package func next() -> ArraySlice<UInt8>? {
    while true {
      if let end = newline() {
        let line = buffer[position..<end]
        (position, searched) = (end + 1, 0)
        if isSkipping || line.count > Self.longest {
          isSkipping = false
          leftOut += 1
          continue
        }
        return line
      }
      searched = buffer.count - position
      if searched > Self.longest { skip() }
      guard !isAtEnd else { return last() }
      fill()
    }
  }

  /// Appends the addresses in the last line that ``next()`` has returned.
  ///
  /// Those of all lines that were read with it are found together, which is faster.
  package func addAddresses(in line: ArraySlice<UInt8>, to found: inout [LogMatch]) {
    if line.endIndex > matchedTo { searchLines(from: line.startIndex) }
    while nextMatch < matches.count, matches[nextMatch].start < line.endIndex {
      let match = matches[nextMatch]
      nextMatch += 1
      if match.start >= line.startIndex { found.append(match.within(line.startIndex)) }
    }
  }

  private func searchLines(from start: Int) {
    let bytes = buffer
    let end = isAtEnd ? bytes.count : (bytes.lastIndex(of: 0x0a) ?? bytes.count)
    (matchedTo, nextMatch) = (end, 0)
    matches.removeAll(keepingCapacity: true)
    searchLog(bytes.span.extracting(0..<end), from: start, into: &matches)
  }

  /// Whether the next line is there already.
  package var isReady: Bool { newline() != nil }

  private func newline() -> Int? {
    let text = buffer
    return text.span.firstNewline(from: position + searched)
  }

  /// Drops the beginning of a line that is too long.
  private func skip() {
    buffer = []
    (position, searched, isSkipping) = (0, 0, true)
  }

  private func last() -> ArraySlice<UInt8>? {
    guard position < buffer.count || isSkipping else { return nil }
    let line = buffer[position...]
    (position, searched) = (buffer.count, 0)
    guard !isSkipping else {
      (isSkipping, leftOut) = (false, leftOut + 1)
      return nil
    }
    return line
  }

  private func fill() {
    if position > 0 {
      // Lines may still be in use.
      var rest: [UInt8] = []
      rest.reserveCapacity(buffer.count - position + Self.piece)
      rest += buffer[position...]
      (buffer, position) = (rest, 0)
    }
    (matches, matchedTo, nextMatch) = ([], 0, 0)
    switch file.read(into: &buffer, atMost: Self.piece, ByteWait(interrupt)) {
    case .more, .silence: break
    case .end, .interrupted: isAtEnd = true
    case .failure(let error): (failure, isAtEnd) = (error, true)
    }
  }
}
