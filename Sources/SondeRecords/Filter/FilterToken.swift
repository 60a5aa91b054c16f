/// A token of a condition, with its position.
struct FilterToken: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case word(String)
    /// A quoted text, which is never a keyword.
    case quoted(String)
    /// A file, named after `@`.
    case file(String)
    case sign(FilterComparison)
    case openBracket, closeBracket, comma
    case end
  }

  let kind: Kind
  /// The position in Unicode scalars.
  let place: Range<Int>

  /// Whether it is a keyword, ignoring case.
  func isKeyword(_ keyword: String) -> Bool {
    if case .word(let word) = kind { word.lowercased() == keyword } else { false }
  }
}

extension FilterToken {
  /// The normalised token; `path` normalises the path of a file.
  func spelling(_ path: (String) -> String) -> String {
    switch kind {
    case .word(let word): word
    case .quoted(let text): "\"\(text)\""
    case .file(let name): "@\(path(name))"
    case .sign(let sign): sign.rawValue
    case .openBracket: "("
    case .closeBracket: ")"
    case .comma: ","
    case .end: ""
    }
  }
}

/// A comparison operator.
enum FilterComparison: String, CaseIterable, Sendable {
  case equal = "="
  case different = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case like = "~"
}

/// Splits the text of a condition into tokens.
struct FilterLexer {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// All tokens, the last one being ``FilterToken/Kind/end``.
  static func tokens(of text: String) throws(FilterError) -> [FilterToken] {
    var lexer = FilterLexer(text)
    var tokens: [FilterToken] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  private mutating func next() throws(FilterError) -> FilterToken {
    while let scalar = current, scalar.properties.isWhitespace { position += 1 }
    let start = position
    let kind = try kind()
    return FilterToken(kind: kind, place: start..<max(position, start))
  }

  private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func kind() throws(FilterError) -> FilterToken.Kind {
    guard let scalar = current else { return .end }
    switch scalar {
    case "(": return sign(.openBracket)
    case ")": return sign(.closeBracket)
    case ",": return sign(.comma)
    case "\"", "'": return .quoted(try quoted())
    case "@":
      position += 1
      let isQuoted = current == "\"" || current == "'"
      let name = isQuoted ? try quoted() : run { !$0.endsFileName }
      guard !name.isEmpty else { throw error("the name of a file is missing", position - 1) }
      return .file(name)
    case "=", "!", "<", ">", "~", "&", "|": return .sign(try comparison())
    default: return .word(run { !$0.endsWord })
    }
  }

  private mutating func sign(_ kind: FilterToken.Kind) -> FilterToken.Kind {
    position += 1
    return kind
  }

  private mutating func run(while isPart: (Unicode.Scalar) -> Bool) -> String {
    let part = scalars[position...].prefix(while: isPart)
    position += part.count
    return String(String.UnicodeScalarView(part))
  }

  /// Reads a quoted text; within double quotes, `\"` and `\\` are escapes.
  private mutating func quoted() throws(FilterError) -> String {
    let start = position
    let quote = scalars[position]
    var text = String.UnicodeScalarView()
    position += 1
    while let scalar = current, scalar != quote {
      position += 1
      let isEscape = scalar == "\\" && quote == "\"" && (current == "\"" || current == "\\")
      text.append(isEscape ? scalars[position] : scalar)
      if isEscape { position += 1 }
    }
    guard current != nil else { throw error("the quotes are not closed", start) }
    position += 1
    return String(text)
  }

  private mutating func comparison() throws(FilterError) -> FilterComparison {
    let start = position
    let text = run { "=!<>~&|".unicodeScalars.contains($0) }
    if let comparison = FilterComparison(rawValue: text) { return comparison }
    let right = ["==": "=", "<>": "!=", "=<": "<=", "=>": ">=", "=~": "~", "~=": "~"]
    let words = ["!": "not", "&": "and", "&&": "and", "|": "or", "||": "or", "!~": "not FIELD ~"]
    let hint = (right[text] ?? words[text]).map { ": write \($0)" }
    throw FilterError(reason: "'\(text)' compares nothing\(hint ?? "")", place: start..<position)
  }

  private func error(_ reason: String, _ start: Int) -> FilterError {
    FilterError(reason: reason, place: start..<start + 1)
  }
}

extension Unicode.Scalar {
  fileprivate var endsFileName: Bool {
    properties.isWhitespace || self == "(" || self == ")" || self == ","
  }

  fileprivate var endsWord: Bool { endsFileName || "=!<>~&|\"".unicodeScalars.contains(self) }
}
