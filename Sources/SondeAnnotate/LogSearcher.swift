import SondeAddresses
import SondeInputs
import SondeLogs

/// Finds addresses anywhere in the text.
struct LogSearcher: PickingSearcher {
  /// Where information is inserted.
  enum Position {
    /// After each address.
    case behindAddress
    /// At the end of the line, once for each of its distinct addresses.
    case endOfLine
  }

  var position: Position
  /// Whether the line is truncated, so that its last word may be incomplete.
  var isBrokenOff = false
  var picker: LinePicker?
  var refangs = false

  /// Cuts at line feeds.
  static func cutter(
    _ position: Position,
    _ picker: LinePicker?,
    _ refangs: Bool
  ) -> any LineCutter {
    let searcher = LogSearcher(position: position, refangs: refangs)
    let breaking = LogSearcher(position: position, isBrokenOff: true, refangs: refangs)
    guard let picker else { return PlainLineCutter(searcher: searcher, breakSearcher: breaking) }
    return PickingLineCutter(searcher, breaking: breaking, picker)
  }

  func search(_ block: inout LineBlock) {
    var matches: [LogMatch] = []
    swap(&matches, &block.matches)
    matches.removeAll(keepingCapacity: true)
    block.refangsMatches = nil
    let bytes = block.bytes
    let text = bytes.span
    searchLog(text, refangs: refangs, into: &matches)
    if isBrokenOff {
      let whole = text.lastBlank ?? 0
      matches.removeAll { $0.insertion > whole }
    }
    if var picker { picker.pick(&matches, of: text, in: 0..<text.count) }
    block.reserve(matches.count)
    var (end, bodyEnd, distinct) = (0, 0, DistinctSubjects())
    for match in matches {
      if match.start >= end {
        let start = text.lineStart(of: match.start, from: end, counting: &block.lineCount)
        end = text.firstNewline(from: start).map { $0 + 1 } ?? text.count
        block.beginLine(start..<end)
        if position == .endOfLine {
          bodyEnd = text.bodyEnd(ofLine: start..<end)
          distinct.begin()
        }
      }
      let subject = block.add(subject(match, of: text, &block))
      switch position {
      case .behindAddress: block.insert(at: match.insertion, subject, before: .none)
      case .endOfLine:
        let isNew = distinct.insert(subject, of: block)
        block.insert(at: bodyEnd, subject, before: isNew ? .none : .mute)
      }
    }
    block.lineCount += text.extracting(end...).countLines()
    if matches.count < LineBlock.usualMatches {
      swap(&matches, &block.matches)
      if picker == nil, !isBrokenOff { block.refangsMatches = refangs }
    }
  }
}

extension LogSearcher {
  private func subject(
    _ match: LogMatch,
    of text: Span<UInt8>,
    _ block: inout LineBlock
  ) -> LineBlock.Subject {
    guard refangs, let zone = match.zone else { return .address(match.address, zone: match.zone) }
    return .zoned(match.address, block.keep(text.zone(zone).span))
  }
}

extension Span<UInt8> {
  /// The offset of the last space or tab.
  fileprivate var lastBlank: Int? { indices.last { self[$0] == 0x20 || self[$0] == 0x09 } }

  /// The position before a line's end: a line feed, with or without a return before it.
  fileprivate func bodyEnd(ofLine line: Range<Int>) -> Int {
    var end = line.upperBound
    if end > line.lowerBound, self[end - 1] == 0x0a { end -= 1 }
    if end > line.lowerBound, self[end - 1] == 0x0d { end -= 1 }
    return end
  }

  /// The start of an offset's line, after an earlier line's `begin`; counts the lines in between.
  fileprivate func lineStart(of offset: Int, from begin: Int, counting count: inout Int) -> Int {
    var start = begin
    while let newline = firstNewline(from: start), newline < offset {
      start = newline + 1
      count += 1
    }
    count += 1
    return start
  }
}
