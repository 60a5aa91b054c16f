extension ManualPage {
  /// The page in the man(7) language, for `man`, groff and mandoc.
  package var roff: String {
    let title =
      #".TH \#(name.uppercased().roff) 1 \#(Version.date) "sonde \#(Version.number)" "Sonde""#
    // No hyphenation and no justification: options are read and copied letter by letter.
    return ([title, ".nh", ".ad l"] + sections.flatMap(Self.lines)).joined(separator: "\n") + "\n"
  }

  private static func lines(of section: Section) -> [String] {
    var (lines, isFirst) = ([".SH \(section.heading.uppercased().roff)"], true)
    for block in section.blocks {
      lines += Self.lines(of: block, isFirst: isFirst)
      if case .subheading = block { isFirst = true } else { isFirst = false }
    }
    return lines
  }

  private static func lines(of block: Block, isFirst: Bool) -> [String] {
    switch block {
    case .subheading(let text): [".SS \(text.roff)"]
    case .paragraph(let text): (isFirst ? [] : [".PP"]) + [text.roffLine]
    case .usage(let command, let operands):
      [".B \(command.roff)"] + (operands.isEmpty ? [] : [operands.withItalicNames])
    case .item(let term, let text): [".TP", term.roff, text.roffLine]
    case .example(let line, let meaning): [".TP", #".B \#(line.roff)"#, meaning.roffLine]
    }
  }
}

extension ManualPage.Term {
  fileprivate var roff: String {
    let literals = literals.map { #"\fB\#($0.roff)\fR"# }.joined(separator: ", ")
    return literals + (value.map { #" \fI\#($0.roff)\fR"# } ?? "")
  }
}

extension String {
  /// The text with special characters escaped and `-` fit for copying (groff_char(7)).
  fileprivate var roff: String {
    reduce(into: "") { text, character in
      switch character {
      case "\\": text += #"\e"#
      case "-": text += #"\-"#
      case "'": text += #"\(aq"#
      case "`": text += #"\(ga"#
      case "^": text += #"\(ha"#
      case "~": text += #"\(ti"#
      case "\"": text += #"\(dq"#
      case "\u{a0}": text += #"\ "#
      default: text.append(character)
      }
    }
  }

  /// The same as a line of its own that is never taken as a request.
  fileprivate var roffLine: String { hasPrefix(".") ? #"\&"# + roff : roff }

  /// Operands as usage shows them, with names in italics: `[INPUT...]`.
  fileprivate var withItalicNames: String {
    var (text, name) = ("", "")
    func end() {
      text += name.count > 1 ? #"\fI\#(name)\fR"# : name
      name = ""
    }
    for character in self {
      guard !character.isUppercase else {
        name.append(character)
        continue
      }
      end()
      text += String(character).roff
    }
    end()
    return text
  }
}
