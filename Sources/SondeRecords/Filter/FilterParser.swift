import SondeAddresses
import SondeSystem

/// Parses a condition from its tokens: `or` has the lowest precedence, then `and`, then `not`.
struct FilterParser {
  /// The largest nesting depth of brackets and `not`, each of which is a recursive call.
  private static let deepest = 200

  let tokens: [FilterToken]
  private let vocabulary: FilterVocabulary
  private var position = 0
  private var depth = 0
  private(set) var operands: [FilterOperand] = []
  /// The parts that `and` joins outside all brackets.
  private var parts: [FilterCondition] = []

  init(_ text: String, _ vocabulary: FilterVocabulary) throws(FilterError) {
    tokens = try FilterLexer.tokens(of: text)
    self.vocabulary = vocabulary
  }

  private var token: FilterToken { tokens[position] }

  private mutating func skip() { position = min(position + 1, tokens.count - 1) }

  private mutating func takes(_ keyword: String) -> Bool {
    guard token.isKeyword(keyword) else { return false }
    skip()
    return true
  }

  mutating func condition() throws(FilterError) -> FilterCondition {
    let condition = try alternatives()
    switch token.kind {
    case .end: return condition
    case .closeBracket: throw error("no bracket is open here")
    default: throw error("'and', 'or' or the end belongs here\(hintAtQuotes)")
    }
  }

  private mutating func alternatives() throws(FilterError) -> FilterCondition {
    var conditions = [try conjunction()]
    while takes("or") { conditions.append(try conjunction()) }
    if depth == 0, conditions.count > 1 { parts = [.any(conditions)] }
    return conditions.count == 1 ? conditions[0] : .any(conditions)
  }

  private mutating func conjunction() throws(FilterError) -> FilterCondition {
    var conditions = [try negation()]
    while takes("and") { conditions.append(try negation()) }
    if depth == 0 { parts = conditions }
    return conditions.count == 1 ? conditions[0] : .all(conditions)
  }

  private mutating func negation() throws(FilterError) -> FilterCondition {
    var isNegated = false
    while takes("not") { isNegated.toggle() }
    let condition = try primary()
    return isNegated ? .not(condition) : condition
  }

  private mutating func primary() throws(FilterError) -> FilterCondition {
    switch token.kind {
    case .openBracket: return try bracket()
    case .word(let name), .quoted(let name):
      guard !["and", "or", "in"].contains(where: token.isKeyword) else {
        throw error("a condition is missing before '\(name)'")
      }
      let operand = try operand(named: name)
      skip()
      return try comparison(of: operand)
    case .sign: throw error("the name of a field belongs before this")
    case .file: throw error("a file stands behind 'ip in'")
    case .closeBracket, .comma, .end: throw error("a condition is missing here")
    }
  }

  private mutating func bracket() throws(FilterError) -> FilterCondition {
    let open = token
    depth += 1
    guard depth <= Self.deepest else { throw error("more than \(Self.deepest) brackets are open") }
    skip()
    let condition = try alternatives()
    guard token.kind == .closeBracket else {
      if token.kind == .end { throw error("this bracket is not closed", at: open) }
      throw error("'and', 'or' or ')' belongs here\(hintAtQuotes)")
    }
    skip()
    depth -= 1
    return condition
  }

  /// A hint for a word that seems to belong to the value before it.
  private var hintAtQuotes: String {
    guard position > 1, case .word = token.kind, case .word = tokens[position - 1].kind,
      case .sign = tokens[position - 2].kind
    else { return "" }
    return ": a value of several words stands in quotes"
  }

  private mutating func operand(named name: String) throws(FilterError) -> FilterOperand {
    guard let operand = vocabulary.operand(named: name) else {
      throw error(vocabulary.reason(for: name))
    }
    operands.append(operand)
    return operand
  }

  private mutating func comparison(of operand: FilterOperand) throws(FilterError) -> FilterCondition
  {
    if token.isKeyword("not"), tokens[position + 1].isKeyword("in") {
      skip()
      skip()
      let list = try list(for: operand)
      // Like any comparison, it is false without a value.
      if case .isOneOf(let operand, let literals) = list { return .isNoneOf(operand, literals) }
      return .not(list)
    }
    if takes("in") { return try list(for: operand) }
    guard case .sign(let sign) = token.kind else { return .isSet(operand) }
    if let reason = operand.objection(to: sign) { throw error(reason) }
    skip()
    let text: String
    switch token.kind {
    case .word(let word), .quoted(let word): text = word
    default: throw error("a value is missing behind '\(sign.rawValue)'")
    }
    if sign == .like {
      skip()
      return .isLike(operand, Wildcard(text))
    }
    let literal = try literal(for: operand)
    skip()
    return .compares(operand, sign, literal)
  }

  // MARK: - Values

  private func literal(for operand: FilterOperand) throws(FilterError) -> FilterLiteral {
    let (text, isQuoted) =
      switch token.kind {
      case .word(let word): (word, false)
      case .quoted(let word): (word, true)
      default: throw error("a value is missing here")
      }
    let name = operand.field.name
    switch operand.type {
    case .number:
      guard let number = Double(plain: text) else {
        throw error("\(name) is a number, which \(quoted(text)) is not")
      }
      return .number(number)
    case .flag:
      guard let isSet = Bool(text.lowercased()) else {
        throw error("\(name) is true or false, not \(quoted(text))")
      }
      return .flag(isSet)
    case .moment:
      guard let moment = vocabulary.moment(text) else {
        throw error(
          "\(name) is a time, which \(quoted(text)) is not: write a date (2015-05-17), "
            + "a time (2015-05-17T10:05:03Z) or how long ago (2h, 7d)"
        )
      }
      return .moment(moment)
    case .address:
      guard let range = try range(of: text) else { throw error("an address is missing here") }
      guard range.lastOffset == 0 else { throw error("this is a network: write ip in (\(text))") }
      return .address(range.first)
    case .text:
      if let reason = vocabulary.check(text, of: operand) { throw error(reason) }
      return .text(Array(text.utf8), number: isQuoted ? nil : Double(plain: text))
    }
  }

  private func range(of text: String) throws(FilterError) -> AddressRange? {
    switch ListItem.parse(operand: text.utf8Span.span) {
    case .address(let address, zone: nil): return AddressRange(first: address, last: address)
    case .address(let address, _):
      let pattern = "ip ~ \"\(escapedForPerson(text))\""
      throw error("addresses compare without a zone: write \(address), or \(pattern)")
    case .range(let range): return range
    case .nothing: return nil
    case .invalid(let fault): throw error("\(quoted(text)) \(fault.reason)")
    }
  }

  private mutating func list(for operand: FilterOperand) throws(FilterError) -> FilterCondition {
    if case .file = token.kind {
      let file = try networks(for: operand)
      skip()
      return .liesIn([file])
    }
    guard token.kind == .openBracket else {
      throw error("'in' wants values in brackets\(operand.type == .address ? ", or @FILE" : "")")
    }
    let open = token
    var (literals, ranges, files) = ([FilterLiteral](), [AddressRange](), [any NetworkSet]())
    repeat {
      skip()
      switch (token.kind, operand.type) {
      case (.file, _): files.append(try networks(for: operand))
      case (.word(let text), .address), (.quoted(let text), .address):
        guard let range = try range(of: text) else { throw error("an address is missing here") }
        ranges.append(range)
      default: literals.append(try literal(for: operand))
      }
      skip()
    } while token.kind == .comma
    guard token.kind == .closeBracket else {
      if token.kind == .end { throw error("this bracket is not closed", at: open) }
      throw error("',' or ')' belongs here")
    }
    skip()
    guard operand.type == .address else { return .isOneOf(operand, literals) }
    return .liesIn(files + (ranges.isEmpty ? [] : [AddressRanges(ranges)]))
  }

  private func networks(for operand: FilterOperand) throws(FilterError) -> any NetworkSet {
    guard case .file(let name) = token.kind else { throw error("a file is missing here") }
    guard operand.type == .address else { throw error("only ip is looked for in a file") }
    do throws(FilterFileError) {
      return try vocabulary.networks(name)
    } catch {
      throw self.error(error.reason)
    }
  }

  private func error(_ reason: String, at token: FilterToken? = nil) -> FilterError {
    FilterError(reason: reason, place: (token ?? self.token).place)
  }

  private func quoted(_ text: String) -> String { "'\(escapedForPerson(text))'" }
}

// MARK: - Totals

extension FilterParser {
  /// The parts of a parsed condition without totals, and those with them; the whole and `nil`
  /// unless it also depends on single occurrences.
  ///
  /// Totals count the occurrences that stay, so they are judged after these.
  func divided(
    _ condition: FilterCondition
  ) throws(FilterError) -> (head: FilterCondition, tail: FilterCondition?) {
    guard condition.operands.contains(where: \.isTotal),
      condition.operands.contains(where: \.isOfPlace)
    else { return (condition, nil) }
    var (head, tail): ([FilterCondition], [FilterCondition]) = ([], [])
    for part in parts {
      guard let total = part.operands.first(where: \.isTotal) else {
        head.append(part)
        continue
      }
      if let other = part.operands.first(where: \.isOfPlace) {
        let name = total.field.name
        throw error(
          "\(name) counts the occurrences that stay, and \(other.field.name) is of one: "
            + "join them by an 'and' outside all brackets and 'not'",
          at: tokens.first { $0.isWord(name) }
        )
      }
      tail.append(part)
    }
    return (.all(head), .all(tail))
  }
}

extension FilterToken {
  fileprivate func isWord(_ name: String) -> Bool {
    switch kind {
    case .word(name), .quoted(name): true
    default: false
    }
  }
}

extension Double {
  /// Parses digits with an optional sign and point.
  init?(plain text: String) {
    let isPlain = text.utf8.allSatisfy {
      $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
    }
    guard isPlain, let number = Double(text) else { return nil }
    self = number
  }
}
