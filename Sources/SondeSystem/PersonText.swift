/// Appends a text for people; characters that could move the cursor, reorder the text or break the
/// line become escapes.
///
/// Escaped are the control characters C0, DEL and C1, the line and paragraph separators, and the
/// bidirectional controls of UAX #9: `\n`, `\x1b`, `\u{202e}`. Bytes that are not UTF-8 are shown
/// as `\xff`.
public func appendEscapedForPerson(_ text: Span<UInt8>, to output: inout [UInt8]) {
  output.append(addingCapacity: 6 * text.count) { output in
    _ = output.append(forPerson: text, limit: .max)
  }
}

/// A text for people, as by ``appendEscapedForPerson(_:to:)``.
public func escapedForPerson(_ text: String) -> String {
  var output: [UInt8] = []
  appendEscapedForPerson(Array(text.utf8).span, to: &output)
  return String(decoding: output, as: UTF8.self)
}

/// The width of a text on a terminal, including its escapes.
public func columnsForPerson(_ text: String) -> Int {
  text.unicodeScalars.reduce(0) { columns, scalar in
    columns + (scalar.isEscapedForPerson ? escapedForPerson(String(scalar)).count : scalar.columns)
  }
}

/// A text for people, cut to a number of columns, at least one, with `…`, or with `~` if that
/// cannot be shown.
public func cutForPerson(_ text: String, to columns: Int, isUnicode: Bool = true) -> String {
  var output: [UInt8] = []
  output.append(addingCapacity: 6 * text.utf8.count) { output in
    let text = Array(text.utf8)
    _ = output.append(forPerson: text.span, limit: max(1, columns), isUnicode: isUnicode)
  }
  return String(decoding: output, as: UTF8.self)
}

/// A number with a comma before every group of three digits.
public func grouped(_ number: Int) -> String {
  var digits = Array(String(number))
  let first = digits.first == "-" ? 1 : 0
  for index in stride(from: digits.count - 3, to: first, by: -3) { digits.insert(",", at: index) }
  return String(digits)
}

/// Wraps a text without control characters at its spaces; a longer word is not broken.
///
/// `indent` has the number of blanks that already precede the first line, and of those to insert
/// before the others. The last line has no line end.
public func wrapped(_ text: String, width: Int, indent: (first: Int, others: Int)) -> String {
  let margin = "\n" + String(repeating: " ", count: indent.others)
  var (lines, column) = ("", indent.first)
  for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
    let columns = columnsForPerson(String(word))
    if index == 0 {
      lines += word
      column += columns
    } else if column + 1 + columns <= width {
      lines += " \(word)"
      column += 1 + columns
    } else {
      lines += margin + word
      column = indent.others + columns
    }
  }
  return lines
}

extension OutputSpan<UInt8> {
  /// Appends a text for people, cut to `limit` columns, at least one, with `…`, or with `~` if that
  /// cannot be shown.
  ///
  /// Needs at most six bytes per byte of the text, and three for the ellipsis.
  /// - Returns: The number of columns used.
  package mutating func append(
    forPerson text: Span<UInt8>,
    limit: Int,
    isUnicode: Bool = true
  ) -> Int {
    var cell = Cell(limit: limit, end: count)
    var index = 0
    while true {
      let start = count
      var next = index
      while next < text.count, 0x20..<0x7f ~= text[next] {
        append(text[next])
        next += 1
      }
      cell.add(narrow: next - index, from: start)
      guard next < text.count, !cell.isOver else { break }
      let (scalar, length) = text.scalar(at: next)
      cell.add(columns: append(forPerson: scalar, byte: text[next]), to: count)
      index = next + length
    }
    guard cell.isOver else { return cell.columns }
    removeLast(count - cell.cut)
    for byte in (isUnicode ? "…" : "~").utf8 { append(byte) }
    return cell.columnsAtCut + 1
  }

  /// Appends a character or its escape, or that of an invalid byte, and returns its width.
  private mutating func append(forPerson scalar: Unicode.Scalar?, byte: UInt8) -> Int {
    guard let scalar, !scalar.isEscapedForPerson else {
      let start = count
      append(escapeOf: scalar, byte: byte)
      return count - start
    }
    UTF8.encode(scalar)?.forEach { append($0) }
    return scalar.columns
  }

  private mutating func append(escapeOf scalar: Unicode.Scalar?, byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch scalar?.value {
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0a: append(UInt8(ascii: "n"))
    case 0x0d: append(UInt8(ascii: "r"))
    case .some(let value) where value > 0x7f:
      append(UInt8(ascii: "u"))
      append(UInt8(ascii: "{"))
      for digit in String(value, radix: 16).utf8 { append(digit) }
      append(UInt8(ascii: "}"))
    case .some, .none:
      append(UInt8(ascii: "x"))
      if byte < 16 { append(UInt8(ascii: "0")) }
      for digit in String(byte, radix: 16).utf8 { append(digit) }
    }
  }
}

/// The width of a cell's text, and where an ellipsis would cut it.
private struct Cell {
  /// The available columns.
  let limit: Int
  private(set) var columns = 0

  /// The output's length, and the columns, that remain before an ellipsis.
  private(set) var cut: Int
  private(set) var columnsAtCut = 0

  var isOver: Bool { columns > limit }

  init(limit: Int, end: Int) { (self.limit, cut) = (limit, end) }

  /// Adds characters of one column and one byte each, written from `start`.
  mutating func add(narrow count: Int, from start: Int) {
    let room = limit - 1 - columns
    if room >= 0 {
      let kept = min(count, room)
      (cut, columnsAtCut) = (start + kept, columns + kept)
    }
    columns += count
  }

  /// Adds one character, written up to `end`.
  mutating func add(columns added: Int, to end: Int) {
    columns += added
    guard columns < limit else { return }
    (cut, columnsAtCut) = (end, columns)
  }
}

extension Span<UInt8> {
  /// The character at an index (RFC 3629 §4) and its length in bytes; `nil` and 1 if it is invalid.
  fileprivate func scalar(at index: Int) -> (scalar: Unicode.Scalar?, length: Int) {
    let first = self[index]
    let (length, least): (Int, UInt32)
    switch first {
    case ..<0x80: return (Unicode.Scalar(first), 1)
    case 0xc2...0xdf: (length, least) = (2, 0x80)
    case 0xe0...0xef: (length, least) = (3, 0x800)
    case 0xf0...0xf4: (length, least) = (4, 0x1_0000)
    default: return (nil, 1)
    }
    guard index + length <= count else { return (nil, 1) }
    var value = UInt32(first) & (0x7f >> UInt32(length))
    for next in index + 1..<index + length {
      guard self[next] & 0xc0 == 0x80 else { return (nil, 1) }
      value = value << 6 | UInt32(self[next] & 0x3f)
    }
    guard value >= least, let scalar = Unicode.Scalar(value) else { return (nil, 1) }
    return (scalar, length)
  }
}
