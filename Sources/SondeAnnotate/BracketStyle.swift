import SondeAddresses
import SondeInputs
public import SondeRecords

/// Inserts information in brackets after each address: `8.8.8.8 [US, Mountain View]`.
public struct BracketStyle: AnnotationStyle {
  private let encoder: RecordEncoder
  private let added: RecordEncoder?
  private let (start, end): ([UInt8], [UInt8])

  /// Creates the style; `dims` is whether insertions are dimmed for a terminal (ECMA-48 §8.3.117).
  ///
  /// `encoder` writes the values of an answer, on one line and for people, and `added` the values
  /// of sources if there is no answer.
  public init(encoder: RecordEncoder, added: RecordEncoder? = nil, dims: Bool) {
    (self.encoder, self.added) = (encoder, added)
    start = Array((dims ? " \u{1b}[2m[" : " [").utf8)
    end = Array((dims ? "]\u{1b}[22m" : "]").utf8)
  }

  /// Cuts at line feeds.
  public func cutter(of name: String, behindOpenLine _: Bool) -> any LineCutter {
    PlainLineCutter(searcher: BracketSearcher(), breakSearcher: BracketSearcher(isBrokenOff: true))
  }

  /// True unless networks or columns of sources are shown.
  public var writesAnswersAlike: Bool { encoder.writesAnswersAlike && added == nil }

  /// Appends the values in brackets, or the reason why there are none.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    output += start
    let text = output.count
    switch record.status {
    case .ok: encoder.append(record, bytes: bytes, to: &output)
    case .reserved: output += (record.address?.specialPurpose?.name ?? "reserved").utf8
    case .networkLost: output += "network lost".utf8
    case .unknown, .failed, .invalid: output += record.status.name.utf8
    }
    if record.status != .ok, let added {
      let comma = output.count
      output += ", ".utf8
      added.append(record, bytes: bytes, to: &output)
      if output.count == comma + 2 { output.removeLast(2) }
    }
    // So that the end is found when brackets are removed.
    for index in text..<output.count where output[index] == UInt8(ascii: "]") {
      output[index] = UInt8(ascii: ")")
    }
    output += end
  }
}

/// Finds addresses anywhere in the text.
private struct BracketSearcher: LineSearcher {
  /// Whether the line is truncated, so that its last word may be incomplete.
  var isBrokenOff = false

  /// The largest number of matches whose buffer is kept.
  private static let usualMatches = 1 << 16

  func search(_ block: inout LineBlock) {
    var matches: [LogMatch] = []
    swap(&matches, &block.matches)
    matches.removeAll(keepingCapacity: true)
    let bytes = block.bytes
    let text = bytes.span
    searchLog(text, into: &matches)
    if isBrokenOff {
      let whole = text.lastBlank ?? 0
      matches.removeAll { $0.insertion > whole }
    }
    block.reserve(matches.count)
    var end = 0
    for match in matches {
      if match.start >= end {
        let start = text.lineStart(of: match.start, from: end, counting: &block.lineCount)
        end = text.firstNewline(from: start).map { $0 + 1 } ?? text.count
        block.beginLine(start..<end)
      }
      block.insert(at: match.insertion, .address(match.address, zone: match.zone))
    }
    block.lineCount += text.extracting(end...).countLines()
    if matches.count < Self.usualMatches { swap(&matches, &block.matches) }
  }
}

extension Span<UInt8> {
  /// The offset of the last space or tab.
  fileprivate var lastBlank: Int? { indices.last { self[$0] == 0x20 || self[$0] == 0x09 } }

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
