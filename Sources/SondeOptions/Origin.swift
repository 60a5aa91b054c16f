/// Where a value was given, and the user's spelling of its setting there.
package struct Origin: Sendable, Equatable, CustomStringConvertible {
  /// `--timeout`, `-o`, `SONDE_TIMEOUT`, `timeout`.
  package let spelling: String

  /// The prefix of a message about it: file and line, as in `config:3: `; otherwise empty.
  package var place = ""

  package init(spelling: String, place: String = "") {
    (self.spelling, self.place) = (spelling, place)
  }

  package var isOption: Bool { spelling.hasPrefix("-") }

  /// The prefix of a message about the value.
  package var description: String { place + spelling }
}
