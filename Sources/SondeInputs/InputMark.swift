import SondeSystem

/// How far the inputs have been read: never less far than what the outputs hold.
package struct InputMark: Sendable, Equatable {
  /// The inputs read to their end, in order, as one hash.
  package var finished: UInt64 = 0
  /// The number of the input being read.
  package var input: UInt64 = 0
  /// Bytes read of it, as they lie on the disk.
  package var length: UInt64 = 0
  /// The hash of those bytes.
  package var hash: UInt64 = 0
  /// Whether they were all of it, the last line without its line feed.
  package var endsInLine = false

  /// Makes one of its parts.
  package init(
    finished: UInt64 = 0,
    input: UInt64 = 0,
    length: UInt64 = 0,
    hash: UInt64 = 0,
    endsInLine: Bool = false
  ) {
    self.finished = finished
    self.input = input
    self.length = length
    self.hash = hash
    self.endsInLine = endsInLine
  }
}

extension InputMark {
  /// Turns to an input, if it is not the one at hand: that is read to its end then, which is where
  /// it may not have grown later.
  ///
  /// What has no bytes leaves no trace: an address on the command line, an empty file, one that is
  /// not there.
  package mutating func turn(to next: UInt64) {
    guard next != input else { return }
    if length > 0 {
      var chain = Checksum()
      for word in [finished, input, length, hash] { chain.update(word: word) }
      finished = chain.value
    }
    self = InputMark(finished: finished, input: next)
  }

  /// Takes over a later mark; one of a reader that has not come so far again is left.
  package mutating func advance(to mark: InputMark) {
    let (now, then) = ((mark.input, mark.length), (input, length))
    if now > then || now == then && !endsInLine { self = mark }
  }
}
