/// A manual page made from the tables of commands and options, written as man(7) or text.
///
/// Its sections are those of man-pages(7).
package struct ManualPage: Sendable {
  struct Section: Sendable {
    let heading: String
    let blocks: [Block]
  }

  enum Block: Sendable {
    case subheading(String)
    case paragraph(String)
    /// The words that begin a command line, and its operands.
    case usage(command: String, operands: String)
    case item(Term, String)
    /// A line to type, and its meaning.
    case example(String, String)
  }

  /// The term of an item: literal words and the name of a value.
  struct Term: Sendable {
    let literals: [String]
    /// The name of the value that follows, if any.
    var value: String?
  }

  /// `sonde` or `sonde-scan`, the name for man(1).
  let name: String

  /// One line, for whatis(1).
  let summary: String

  /// The sections after the first, NAME.
  let sections: [Section]

  init(name: String, summary: String, sections: [Section]) {
    (self.name, self.summary) = (name, summary.beginningInLowerCase)
    let first = Section(heading: "Name", blocks: [.paragraph("\(name) - \(self.summary)")])
    self.sections = [first] + sections.filter { !$0.blocks.isEmpty }
  }
}

extension String {
  fileprivate var beginningInLowerCase: String { prefix(1).lowercased() + dropFirst() }
}
