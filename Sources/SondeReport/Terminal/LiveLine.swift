/// The progress line of a terminal: the bytes that draw it, and those that erase it before anything
/// else is written there.
///
/// A value without I/O. The cursor rests at the beginning of the line: what the terminal echoes there
/// (`^C`) cannot wrap, and is erased with the line; and where a narrowed terminal has wrapped the line,
/// all of it lies behind the cursor.
struct LiveLine {
  /// The terminal at the moment.
  struct Screen {
    var width: Int
    /// Whether this process may draw there; one in the background would draw over others.
    var isOurs = true
  }

  /// Erases to the end of the line, and to the end of the screen (ECMA-48 §8.3.41, §8.3.39).
  private static let (eraseLine, eraseBelow) = ("\r\u{1b}[K", "\r\u{1b}[J")

  private var text: ProgressText?
  /// The columns that are drawn; `nil` while nothing is.
  private var drawn: Int?
  /// Writes of records to the terminal that are under way.
  private var outputs = 0
  /// Whether the records so far end in the middle of a line.
  private var isInsideLine = false

  /// Shows a text until another one is shown.
  mutating func show(_ text: ProgressText, on screen: Screen) -> String {
    self.text = text
    return draw(on: screen)
  }

  /// Shows nothing any more.
  mutating func end(on screen: Screen) -> String {
    text = nil
    return erase(on: screen)
  }

  /// Puts whole lines above the progress.
  mutating func put(_ lines: String, on screen: Screen) -> String {
    let start = erase(on: screen) + (isInsideLine ? "\n" : "")
    isInsideLine = false
    return start + lines + draw(on: screen)
  }

  /// Makes room for records, which come next.
  mutating func outputBegins(on screen: Screen) -> String {
    outputs += 1
    return erase(on: screen)
  }

  /// Shows the progress again below records.
  ///
  /// - Parameters:
  ///   - endsLine: Whether they end with a line.
  ///   - screen: The terminal.
  /// - Returns: The bytes that draw it.
  mutating func outputEnds(withLine endsLine: Bool, on screen: Screen) -> String {
    outputs -= 1
    isInsideLine = !endsLine
    return draw(on: screen)
  }

  private mutating func erase(on screen: Screen) -> String {
    defer { drawn = nil }
    guard let drawn, screen.isOurs else { return "" }
    return drawn < screen.width ? Self.eraseLine : Self.eraseBelow
  }

  private mutating func draw(on screen: Screen) -> String {
    guard let text, outputs == 0, !isInsideLine, screen.isOurs else {
      if !screen.isOurs { drawn = nil }
      return ""
    }
    // Erasing first would flicker, so it is done only where a narrower screen has wrapped the line.
    let start = drawn ?? 0 < screen.width ? "\r" : Self.eraseBelow
    // Not to the last column: there some terminals wait to wrap, and erasing removes its character.
    let (line, columns) = text.fitted(to: screen.width - 1)
    drawn = columns
    return start + line + "\u{1b}[K\r"
  }
}
