import Addresses

/// A piece of text to be searched, with as much of its surroundings as a search needs.
struct LogPiece: Sendable {
  /// The text; its end may be no part of the piece.
  var bytes: [UInt8]

  /// What is to be searched: addresses that begin here.
  var range: Range<Int>

  /// As far as the text may be looked at.
  var end: Int

  /// Appends the addresses of the piece.
  func search(into matches: inout [LogMatch]) {
    guard !range.isEmpty else { return }
    let text = bytes.span.extracting(0..<end)
    searchLog(text, from: range.lowerBound, into: &matches)
    while let last = matches.last, last.start >= range.upperBound { matches.removeLast() }
  }
}
