import Addresses

/// A piece of text to be searched, with as much of its surroundings as a search needs.
struct LogPiece: Sendable {
  /// The text, and perhaps room behind it.
  var bytes: [UInt8] = []

  /// The bytes of the text.
  var count = 0

  /// Where the piece begins in the text.
  var start = 0

  /// Where the piece ends in the text.
  var cut = LogCut(offset: 0, isClean: true)

  /// Appends the addresses of the piece.
  func search(into matches: inout [LogMatch]) {
    searchLog(bytes.span.extracting(0..<count), from: start, to: cut, into: &matches)
  }
}
