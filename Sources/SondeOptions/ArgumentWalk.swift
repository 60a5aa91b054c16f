/// A value given to a setting, and where it was given.
struct Assignment: Sendable {
  let setting: Setting
  let text: String
  let origin: Origin

  /// Reads the value into `options`.
  ///
  /// - Throws: ``UsageError`` naming the setting, the value and the accepted form.
  func store(in options: inout Options) throws(UsageError) {
    let expected = "expected \(setting.value.accepted)"
    guard !text.isEmpty else { throw UsageError("\(origin) needs a value: \(expected)") }
    do {
      try setting.value.store(text, &options)
    } catch {
      let shown = setting.isSecret || setting.mayHoldSecret ? "(not shown)" : quoted(text)
      let reason = if case .because(let reason) = error { reason + "; " } else { "" }
      throw UsageError(
        "\(origin.place)bad value \(shown) for \(origin.spelling): \(reason)\(expected)"
      )
    }
  }

  /// The same value for the row of this setting that `command` takes; `nil` if it takes none.
  func meant(for command: CommandName) -> Assignment? {
    setting.own(of: command).map(assigned(to:))
  }

  /// Whether at least one command accepts the value, of those that know what they accept.
  var isGoodForAny: Bool {
    setting.namesakes.contains { row in
      guard !row.value.isCheckedLater else { return false }
      var ignored = Options()
      return (try? assigned(to: row).store(in: &ignored)) != nil
    }
  }

  private func assigned(to row: Setting) -> Assignment {
    Assignment(setting: row, text: text, origin: origin)
  }
}

/// The arguments of the command line, sorted but not yet read.
///
/// An error does not end the walk, because a `--help` further right is still answered.
struct ArgumentWalk {
  private(set) var command: CommandName?
  private(set) var operands: [String] = []
  private(set) var assignments: [Assignment] = []

  /// A request for help or the version, answered before anything else.
  private(set) var answer: Setting.Answer?

  private var firstProblem: UsageError?
  private var remaining: ArraySlice<String>
  private var optionsHaveEnded = false
  private var commandIsUnknown = false

  /// Sorts the arguments, given without the program name.
  init(_ arguments: [String]) {
    remaining = arguments[...]
    while let argument = remaining.popFirst() {
      do throws(UsageError) {
        try take(argument)
      } catch {
        firstProblem = firstProblem ?? error
      }
    }
  }

  /// The first error from the left, if any.
  var problem: UsageError? {
    firstProblem.map { UsageError($0.message, command: command) }
  }

  private mutating func take(_ argument: String) throws(UsageError) {
    if optionsHaveEnded || argument == "-" || !argument.hasPrefix("-") {
      try takeWord(argument)
    } else if argument == "--" {
      optionsHaveEnded = true
    } else if argument.hasPrefix("--") {
      try takeLong(argument.dropFirst(2))
    } else {
      try takeShort(argument.dropFirst())
    }
  }

  private mutating func takeWord(_ word: String) throws(UsageError) {
    guard command == nil, !commandIsUnknown else { return operands.append(word) }
    command = CommandName(rawValue: word)
    guard command == nil else { return }
    commandIsUnknown = true
    guard word.contains(where: { "./:".contains($0) }) else {
      throw UsageError(unknownCommand: word)
    }
    // No command has this name, so it is an address or a file to read.
    let isAddress = word.allSatisfy { ".:".contains($0) || $0.isHexDigit }
    let command = isAddress ? "lookup" : "scan"
    throw UsageError(
      "unknown command \(quoted(word)); did you mean \(quoted("sonde \(command) \(word)"))?"
    )
  }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = text[..<(equals ?? text.endIndex)]
    let setting = try option(named: name)
    let value = equals.map { String(text[text.utf8.index(after: $0)...]) }
    if setting.isFlag {
      guard value == nil else { throw UsageError("\(setting.option) takes no value") }
      try raise(setting)
    } else if let value {
      try give(value, to: setting, spelling: setting.option)
    } else {
      let next = try nextValue(of: setting, spelling: setting.option)
      try give(next, to: setting, spelling: setting.option)
    }
  }

  private mutating func takeShort(_ text: Substring) throws(UsageError) {
    if text.count > 1, let meant = Setting.named(text), meant.places.contains(.commandLine) {
      throw UsageError("unknown option '-\(text)'; did you mean '\(meant.option)'?")
    }
    var rest = text
    while let letter = rest.popFirst() {
      guard let setting = Setting.all.first(where: { $0.short == letter }) else {
        let meant = otherwiseNamed(String(letter)).map { "; did you mean '\($0)'?" }
        throw UsageError("unknown option '-\(letter)'\(meant ?? "")")
      }
      guard setting.isFlag else {
        let spelling = "-\(letter)"
        let value = rest.isEmpty ? try nextValue(of: setting, spelling: spelling) : String(rest)
        return try give(value, to: setting, spelling: spelling)
      }
      try raise(setting)
    }
  }

  /// Takes the next argument as the value, unless it is clearly another option.
  private mutating func nextValue(
    of setting: Setting,
    spelling: String
  ) throws(UsageError) -> String {
    guard let next = remaining.first, !next.hasPrefix("--") else {
      throw UsageError("\(spelling) needs a value: expected \(setting.value.accepted)")
    }
    remaining.removeFirst()
    return next
  }

  private mutating func give(
    _ value: String,
    to setting: Setting,
    spelling: String
  ) throws(UsageError) {
    if let advice = setting.insteadOfTwice,
      assignments.contains(where: { $0.setting.name == setting.name })
    {
      throw UsageError("\(spelling) stands there twice: \(advice)")
    }
    let origin = Origin(spelling: spelling)
    assignments.append(Assignment(setting: setting, text: value, origin: origin))
  }

  private mutating func raise(_ flag: Setting) throws(UsageError) {
    answer = answer ?? flag.answer
    if flag.answer == nil { try give("true", to: flag, spelling: flag.option) }
  }

  private func option(named name: Substring) throws(UsageError) -> Setting {
    guard let setting = row(named: name) else {
      let near = nearest(to: name, among: offered.map(\.name)).map { "--" + $0 }
      let option = otherwiseNamed(name) ?? near
      let meant = option.map { "; did you mean '\($0)'?" }
      throw UsageError("unknown option \(quoted("--" + name))\(meant ?? "")")
    }
    guard setting.places.contains(.commandLine) else {
      throw UsageError(setting.commandLineRefusal)
    }
    return setting
  }

  /// The row of a name, which may be a flag for one command and take a value for another: that of
  /// the command, or while it is unknown a flag.
  private func row(named name: Substring) -> Setting? {
    guard let first = Setting.named(name) else { return nil }
    let rows = Setting.all.filter { $0.name == first.name }
    if let command, let own = rows.first(where: { $0.isTaken(by: command) }) { return own }
    return rows.first(where: \.isFlag) ?? first
  }

  /// The options of the command, or all options while the command is unknown.
  private var offered: [Setting] {
    Setting.all.filter { setting in
      setting.places.contains(.commandLine) && (command.map(setting.isTaken) ?? true)
    }
  }

  /// The option of the command that other programs call `name`, if any.
  private func otherwiseNamed(_ name: some StringProtocol) -> String? {
    let names = ["f": "format", "n": "top", "limit": "top"]
    if let meant = names[String(name)] { return offered.first { $0.name == meant }?.option }
    let form = offered.first { setting in
      guard case .words(let words) = setting.value.completion else { return false }
      return ["style", "format"].contains(setting.name) && words.contains(String(name))
    }
    return form.map { "\($0.option) \(name)" }
  }
}

extension Setting {
  /// Why a known setting cannot be given on the command line.
  fileprivate var commandLineRefusal: String {
    places.contains(.file)
      ? """
      \(option) is not taken from the command line, where every user of this machine could read \
      it; set \(variable), or write '\(name) = ...' into the configuration file
      """
      : "\(option) is not an option; set \(variable) instead"
  }
}
