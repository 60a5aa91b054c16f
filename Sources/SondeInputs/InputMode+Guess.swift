import SondeAddresses
import SondeSystem

extension InputMode {
  /// The number of lines examined, and how many of ten must be items.
  private static let lines = 100
  private static let share = 9

  /// The limit for finding these lines, in bytes of text.
  private static let longestBeginning = 1 << 20

  /// Guesses the mode of a file, which may be compressed: a list if nine of ten of its first
  /// hundred significant lines are items, otherwise a log.
  ///
  /// A capture is read in the same way in both modes.
  /// - Parameter path: The file.
  /// - Returns: The mode.
  /// - Throws: ``InputError`` if it cannot be read.
  public static func guess(path: String) throws(InputError) -> InputMode {
    let file = InputFile(try OpenFile(.file(path)), name: path, captures: .recognized)
    let wait = ByteWait(try WakePipe.forInputs())
    var bytes: [UInt8] = []
    while bytes.count < longestBeginning {
      let fill = file.read(into: &bytes, atMost: 64 << 10, wait)
      if file.isCapture { return .log }
      switch fill {
      case .more, .silence:
        guard let guess = guess(bytes.span, isWhole: false) else { continue }
        return guess
      case .end, .interrupted: return guess(bytes.span, isWhole: true) ?? .list
      case .failure(let error): throw error
      }
    }
    return guess(bytes.span, isWhole: true) ?? .list
  }

  /// Guesses the mode by the start of a text; `nil` if more is needed, or no line is significant.
  static func guess(_ text: Span<UInt8>, isWhole: Bool) -> InputMode? {
    var (items, lines, start) = (0, 0, 0)
    while start < text.count, lines < Self.lines {
      var end = start
      while end < text.count, text[end] != 0x0a { end &+= 1 }
      if end == text.count, !isWhole { return nil }
      switch ListItem.parse(line: text.extracting(start..<end)) {
      case .nothing: break
      case .address, .range: (items, lines) = (items + 1, lines + 1)
      case .invalid: lines += 1
      }
      start = end + 1
    }
    guard lines == Self.lines || isWhole && lines > 0 else { return nil }
    return 10 * items >= Self.share * lines ? .list : .log
  }
}
