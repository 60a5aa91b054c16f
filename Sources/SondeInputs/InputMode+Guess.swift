import SondeAddresses
import SondeSystem

extension InputMode {
  /// The lines that decide, and how many of ten must be items of a list.
  private static let lines = 100
  private static let share = 9

  /// The bytes of text in which these lines are looked for.
  private static let longestBeginning = 1 << 20

  /// Guesses how addresses stand in a file: as a list where nine in ten of its first hundred lines
  /// that say anything are items, else anywhere.
  ///
  /// A capture is read in the same manner either way.
  ///
  /// - Parameter path: The file, which may be compressed.
  /// - Returns: The guess.
  /// - Throws: ``InputError`` where it cannot be read.
  public static func guess(path: String) throws(InputError) -> InputMode {
    let file = InputFile(try OpenFile(.file(path)), name: path, captures: .recognized)
    let interrupt = try WakePipe.forInputs()
    var bytes: [UInt8] = []
    while bytes.count < longestBeginning {
      let fill = file.read(into: &bytes, atMost: 64 << 10, until: nil, interruptedBy: interrupt)
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

  /// Guesses by the beginning of a text.
  ///
  /// - Parameters:
  ///   - text: The beginning.
  ///   - isWhole: Whether no more is to be had.
  /// - Returns: The guess; `nil` where more is needed, or no line says anything.
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
