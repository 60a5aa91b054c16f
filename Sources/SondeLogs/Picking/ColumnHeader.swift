import SondeInputs

/// The names of the columns of the lines below it, in a log that says them.
///
/// W3C's Extended Log File Format (https://www.w3.org/TR/WD-logfile.html) begins such a line with
/// `#Fields:`, Zeek's logs (https://docs.zeek.org/en/master/log-formats.html) with `#fields`.
struct ColumnHeader: Sendable, Equatable {
  /// The names, in order.
  let names: [String]
  /// Where the lines are cut; `nil` in W3C's format: at tabs if they have any, otherwise at blanks.
  let separator: UInt8?

  /// Reads a line; `nil` if it names no columns.
  ///
  /// `zeek` is the separator that the file has named.
  init?(_ line: Span<UInt8>, zeek: UInt8?) {
    if line.holds(Self.w3c, at: 0..<min(Self.w3c.count, line.count)) {
      separator = nil
      names = line.extracting(Self.w3c.count...).words { $0 == 0x20 || $0 == 0x09 }
    } else if line.holds(Self.zeek, at: 0..<min(Self.zeek.count, line.count)) {
      let separator = zeek ?? 0x09
      guard line.count > Self.zeek.count, line[Self.zeek.count] == separator else { return nil }
      self.separator = separator
      names = line.extracting((Self.zeek.count + 1)...).words { $0 == separator }
    } else {
      return nil
    }
  }

  private static let w3c = Array("#Fields:".utf8)
  private static let zeek = Array("#fields".utf8)
  private static let separatorMark = Array("#separator ".utf8)

  /// The separator that a line of Zeek's names, `\x09`; `nil` if it names none.
  static func separator(_ line: Span<UInt8>) -> UInt8? {
    guard line.count > separatorMark.count, line.holds(separatorMark, at: 0..<separatorMark.count)
    else { return nil }
    let text = line.extracting(separatorMark.count...)
    if text.count == 4, text[0] == UInt8(ascii: "\\"), text[1] == UInt8(ascii: "x"),
      let high = text[2].hexadecimal, let low = text[3].hexadecimal
    {
      return UInt8(high << 4 | low)
    }
    return text.count == 1 ? text[0] : nil
  }

  /// The value of a column in a line; `nil` if the line has fewer.
  ///
  /// Quotes hold a value of W3C's format together.
  func value(_ column: Int, of line: Span<UInt8>) -> Range<Int>? {
    guard let separator else {
      let hasTab = line.indices.contains { line[$0] == 0x09 }
      return hasTab
        ? line.part(column, cutAt: 0x09, isQuoted: true, joinsRuns: false)
        : line.part(column, cutAt: 0x20, isQuoted: true, joinsRuns: true)
    }
    return line.part(column, cutAt: separator, isQuoted: false, joinsRuns: false)
  }
}

extension Span<UInt8> {
  /// The parts between some bytes that are not empty.
  fileprivate func words(_ isSeparator: (UInt8) -> Bool) -> [String] {
    var (words, start): ([String], Int) = ([], 0)
    for index in 0...count where index == count || isSeparator(self[index]) {
      if index > start { words.append(extracting(start..<index).repaired(maximum: 256)) }
      start = index + 1
    }
    return words
  }

  /// The part with a number; `nil` if there are fewer.
  fileprivate func part(
    _ number: Int,
    cutAt separator: UInt8,
    isQuoted: Bool,
    joinsRuns: Bool
  ) -> Range<Int>? {
    var (start, part, isInQuotes) = (0, 0, false)
    for index in 0...count {
      if index < count {
        if isQuoted, self[index] == UInt8(ascii: "\"") { isInQuotes.toggle() }
        guard self[index] == separator, !isInQuotes else { continue }
      }
      if joinsRuns, index == start {
        start = index + 1
        continue
      }
      if part == number { return start..<index }
      part += 1
      start = index + 1
    }
    return nil
  }
}
