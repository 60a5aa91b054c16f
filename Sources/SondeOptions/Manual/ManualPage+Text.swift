import SondeRecords
import SondeSystem

extension ManualPage {
  /// The page as man(1) shows it, without header and footer, wrapped at `width` columns.
  package func text(width: Int) -> String {
    sections.map { section in
      let parts = section.blocks.enumerated().map { index, block in
        // Like man, except after a heading.
        (index == 0 || section.blocks[index - 1].isHeading ? "" : "\n")
          + Self.text(of: block, width: width)
      }
      return section.heading.uppercased() + "\n" + parts.joined(separator: "\n") + "\n"
    }
    .joined(separator: "\n")
  }

  private static func text(of block: Block, width: Int) -> String {
    switch block {
    case .subheading(let text): "   " + text
    case .paragraph(let text): lines(text, at: 7, width: width)
    case .usage(let command, let operands):
      lines([command, operands].filter { !$0.isEmpty }.joined(separator: " "), at: 7, width: width)
    case .item(let term, let text): item(term.text, text, width: width)
    case .example(let line, let meaning): item(line, meaning, width: width)
    }
  }

  private static func item(_ term: String, _ text: String, width: Int) -> String {
    "       " + term + "\n" + lines(text, at: 14, width: width)
  }

  /// A text between the margin and the width; no line breaks at a no-break space.
  private static func lines(_ text: String, at margin: Int, width: Int) -> String {
    String(repeating: " ", count: margin)
      + wrapped(text, width: width, indent: (margin, margin)).replacing("\u{a0}", with: " ")
  }
}

extension ManualPage.Term {
  fileprivate var text: String {
    literals.joined(separator: ", ") + (value.map { " " + $0 } ?? "")
  }
}

extension ManualPage.Block {
  fileprivate var isHeading: Bool { if case .subheading = self { true } else { false } }
}
