/// The progress line of a terminal: the bytes that draw it and that erase it before other output.
///
/// A value without I/O. The cursor rests at the start of the line, where terminal echo (`^C`)
/// cannot wrap and is erased with the line; a line wrapped by a narrowed terminal is all below the
/// cursor.
struct LiveLine {
  struct Screen {
    var width: Int
    /// Whether this process may draw; a background job would overwrite others.
    var isOurs = true
  }

  /// Erases to the end of the line, and to the end of the screen (ECMA-48 §8.3.41, §8.3.39).
  private static let (eraseLine, eraseBelow) = ("\r\u{1b}[K", "\r\u{1b}[J")

  private var text: ProgressText?
  /// The drawn columns; `nil` while nothing is drawn.
  private var drawn: Int?
  /// The number of record writes to the terminal in progress.
  private var outputs = 0
  /// Whether the records so far end within a line.
  private var isInsideLine = false

  mutating func show(_ text: ProgressText, on screen: Screen) -> String {
    self.text = text
    return draw(on: screen)
  }

  /// Removes the progress line.
  mutating func end(on screen: Screen) -> String {
    text = nil
    return erase(on: screen)
  }

  /// Writes whole lines above the progress.
  mutating func put(_ lines: String, on screen: Screen) -> String {
    let start = erase(on: screen) + (isInsideLine ? "\n" : "")
    isInsideLine = false
    return start + lines + draw(on: screen)
  }

  /// Makes room for the records that follow.
  mutating func outputBegins(on screen: Screen) -> String {
    outputs += 1
    return erase(on: screen)
  }

  /// Shows the progress again below records; `endsLine`: whether they end with a line end.
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
    // Erasing first would flicker, so only a line wrapped by a narrower screen is erased.
    let start = drawn ?? 0 < screen.width ? "\r" : Self.eraseBelow
    // The last column stays empty: some terminals delay wrapping there, and lose it when erasing.
    let (line, columns) = text.fitted(to: screen.width - 1)
    drawn = columns
    return start + line + "\u{1b}[K\r"
  }
}
