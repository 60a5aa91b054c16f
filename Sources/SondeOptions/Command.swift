/// The commands of the program, in the order of `sonde --help`.
package enum CommandName: String, CaseIterable, Sendable {
  case scan, lookup, me, check, plan, extract, annotate, upgrade, compare, diff, summary, block,
    `guard`
  case watch, outages, status
  case cache, quota, tables, serve
  case completions
  case help

  /// Whether it describes the program itself, and therefore works with a broken configuration.
  package var isAboutItself: Bool { self == .completions || self == .help }

  /// Whether it writes records, whose format can follow from the name of the output file.
  package var writesRecords: Bool {
    ![.extract, .annotate, .diff, .summary, .block, .guard, .outages, .quota, .tables, .serve]
      .contains(
        self
      )
  }

  /// Whether a person reads its output: few addresses, laid out for reading, with fresh answers.
  package var isForPerson: Bool { self == .lookup || self == .me }
}

/// What help, completions and the parser know about a command.
package struct Command: Sendable {
  /// One line, without a full stop.
  package let summary: String

  /// A paragraph for `sonde COMMAND --help`.
  package let description: String

  package let operands: Operands

  /// Whether it can send addresses to other machines; its help then says so.
  package var sends = false
  package var showsExitStatuses = false

  /// Lines to type, each with its meaning.
  package let examples: KeyValuePairs<String, String>
}

package struct Operands: Sendable {
  /// As usage shows them; empty if there are none.
  package let text: String

  /// The operand that the error for too few operands names, such as `an address`.
  var needed = ""

  var minimum = 0

  /// `nil` for any number.
  var maximum: Int? = nil

  /// The values that completion offers; the first operand must be one of ``Completion/words(_:)``.
  var completion = Completion.nothing

  /// The values that completion offers behind a first operand.
  var following: [String: [String]] = [:]

  /// Whether the first operand is one of a few words.
  var isWord: Bool { if case .words = completion { true } else { false } }

  static let none = Operands(text: "", maximum: 0)
  static let inputs = Operands(text: "[INPUT...]", completion: .files)
  static let files = Operands(text: "[FILE...]", completion: .files)

  /// One of `words`, followed by any number of `rest` if that is given.
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

/// The values that a shell can offer.
enum Completion: Sendable {
  case nothing
  case files
  /// One of these words; of operands, the first one.
  case words([String])
  /// Some of these words, separated by commas.
  case list([String])
}
