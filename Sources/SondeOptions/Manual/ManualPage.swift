/// A page of the manual, made from the tables of commands and options, to be written as man(7) or text.
///
/// Its parts are those of man-pages(7).
package struct ManualPage: Sendable {
  /// A heading, and what stands below it.
  struct Section: Sendable {
    let heading: String
    let blocks: [Block]
  }

  enum Block: Sendable {
    /// A heading within a section.
    case subheading(String)
    case paragraph(String)
    /// The words that begin a command line, and its operands.
    case usage(command: String, operands: String)
    /// A term, and below it what it means.
    case item(Term, String)
    /// A command line, and what it does.
    case example(Command.Example)
  }

  /// What an item is about: words that are typed as they stand, and names of values.
  struct Term: Sendable {
    /// The spellings of what is typed as it stands.
    let literals: [String]
    /// The name of the value that follows; `nil` for none.
    var value: String?
  }

  /// `sonde` or `sonde-scan`, as man(1) finds it.
  let name: String

  /// One line, for whatis(1).
  let summary: String

  /// The sections behind the first, which is the name.
  let sections: [Section]

  init(name: String, summary: String, sections: [Section]) {
    (self.name, self.summary) = (name, summary.beginningInLowerCase)
    let first = Section(heading: "Name", blocks: [.paragraph("\(name) - \(self.summary)")])
    self.sections = [first] + sections.filter { !$0.blocks.isEmpty }
  }
}

extension String {
  /// The text as it stands within a sentence.
  fileprivate var beginningInLowerCase: String { prefix(1).lowercased() + dropFirst() }
}
