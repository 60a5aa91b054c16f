/// Where a value was given, and what the user called its setting there.
package struct Origin: Sendable, Equatable, CustomStringConvertible {
  /// `--timeout`, `-o`, `SONDE_TIMEOUT`, `timeout`.
  package let spelling: String

  /// What precedes a message about it: the file and line, `config:3: `; empty elsewhere.
  package var place = ""

  /// Makes one of its parts.
  package init(spelling: String, place: String = "") {
    self.spelling = spelling
    self.place = place
  }

  /// Whether it is an option of the command line.
  package var isOption: Bool { spelling.hasPrefix("-") }

  /// The begin of a message about the value.
  package var description: String { place + spelling }
}
