import SondeSystem

/// How far the inputs have been read: at least as far as the outputs require.
package struct InputMark: Sendable, Equatable {
  /// The hash of all finished inputs, in order.
  package var finished: UInt64 = 0
  /// The number of the current input.
  package var input: UInt64 = 0
  /// The number of bytes read from it on disk.
  package var length: UInt64 = 0
  /// The hash of those bytes.
  package var hash: UInt64 = 0
  /// Whether these bytes are the whole input, without a final line feed.
  package var endsInLine = false

  package init(
    finished: UInt64 = 0,
    input: UInt64 = 0,
    length: UInt64 = 0,
    hash: UInt64 = 0,
    endsInLine: Bool = false
  ) {
    (self.finished, self.input, self.length) = (finished, input, length)
    (self.hash, self.endsInLine) = (hash, endsInLine)
  }
}

extension InputMark {
  /// Switches to another input; the current one is then finished, and must not grow later.
  ///
  /// Inputs without bytes are ignored: addresses on the command line, empty and missing files.
  package mutating func turn(to next: UInt64) {
    guard next != input else { return }
    if length > 0 {
      var chain = Checksum()
      for word in [finished, input, length, hash] { chain.update(word: word) }
      finished = chain.value
    }
    self = InputMark(finished: finished, input: next)
  }

  /// Adopts a later mark; an earlier one, of a reader that is still catching up, is ignored.
  package mutating func advance(to mark: InputMark) {
    let (now, then) = ((mark.input, mark.length), (input, length))
    if now > then || now == then && !endsInLine { self = mark }
  }
}
