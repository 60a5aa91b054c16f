extension Span<UInt8> {
  /// Whether a range of a line is a whole word: no ASCII letter, digit or `_` touches it, where an
  /// escape counts as the character it stands for, as beside an address in a log.
  package func isWholeWord(_ range: Range<Int>) -> Bool {
    !LogCharacter(self, endingAt: range.lowerBound, from: 0).byte.isWord
      && !LogCharacter(self, from: range.upperBound, to: count).byte.isWord
  }
}
