/// The commands of the program, in the order of `sonde --help`.
package enum CommandName: String, CaseIterable, Sendable {
  case scan, lookup, me, check, plan, extract, annotate, upgrade, summary, watch, status, cache
  case quota, tables, serve
  case completions
  case help

  /// Whether it describes the program itself, and so works with everything else broken.
  package var isAboutItself: Bool { self == .completions || self == .help }

  /// Whether its output is records, whose form the output's ending says.
  package var writesRecords: Bool {
    ![.extract, .annotate, .summary, .quota, .tables, .serve].contains(self)
  }

  /// Whether it answers a person about a few addresses, laid out for reading and as fresh as can be.
  package var isForPerson: Bool { self == .lookup || self == .me }
}

/// What help, completions and the parser know of a command.
package struct Command: Sendable {
  /// A command line worth showing, and what it does.
  package struct Example: Sendable {
    package let line: String
    package let meaning: String
  }

  /// One line, without a full stop.
  package let summary: String

  /// A paragraph for `sonde COMMAND --help`.
  package let description: String

  package let operands: Operands

  /// Whether addresses can leave this machine, which its help then says.
  package var sends = false

  /// Whether its help lists the exit statuses.
  package var showsExitStatuses = false

  package let examples: [Example]
}

/// The operands that a command takes.
package struct Operands: Sendable {
  /// As usage shows them; empty for none.
  package let text: String

  /// What is missing when there are too few, such as `an address`.
  var needed = ""

  var minimum = 0

  /// The most that are taken; `nil` for any number.
  var maximum: Int? = nil

  /// The values offered by completion; of ``Completion/words(_:)`` the first operand must be one.
  var completion = Completion.nothing

  static let none = Operands(text: "", maximum: 0)
  static let inputs = Operands(text: "[INPUT...]", completion: .files)
  static let files = Operands(text: "[FILE...]", completion: .files)

  /// One of some words, and any number of `rest` behind it where there is one.
  static func word<Word: RawRepresentable<String>>(
    of words: [Word],
    needed: String,
    then rest: String? = nil
  ) -> Operands {
    let words = words.map(\.rawValue)
    return Operands(
      text: words.joined(separator: "|") + (rest.map { " " + $0 } ?? ""),
      needed: needed,
      minimum: 1,
      maximum: rest == nil ? 1 : nil,
      completion: .words(words)
    )
  }
}

/// What a shell can offer for a value.
enum Completion: Sendable {
  case nothing
  case files
  /// One of these words.
  case words([String])
  /// Some of these words, with commas between them.
  case list([String])
}
