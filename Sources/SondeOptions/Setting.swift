/// A row of the table behind the parser, help, completions and configuration file: a command-line
/// option, an environment variable and a name in the file.
package struct Setting: Sendable {
  /// The places where a setting can be given.
  struct Places: OptionSet, Sendable {
    let rawValue: Int
    static let commandLine = Places(rawValue: 1)
    static let environment = Places(rawValue: 2)
    static let file = Places(rawValue: 4)
    static let anywhere: Places = [.commandLine, .environment, .file]
  }

  /// A heading of help, in order.
  package enum Group: String, CaseIterable, Sendable {
    case input = "Input"
    case output = "Output"
    case providers = "Providers"
    case requests = "Requests"
    case cache = "Cache"
    case network = "Network"
    case alerts = "Alerts"
    case server = "Server"
    case messages = "Messages"
    case general = "General"
    case environment = "Environment"
  }

  /// An option that is answered before anything else, whatever else is wrong.
  enum Answer: Sendable {
    case help, version
  }

  /// The long name, without dashes.
  let name: String
  let short: Character?

  /// The heading; unless it is given, that of the list in ``all``.
  package var group: Group
  let commands: [CommandName]
  let places: Places
  let answer: Answer?

  /// The advice for an option given twice, if the last value cannot stand for both.
  let insteadOfTwice: String?

  /// Whether messages must never repeat it, and no file that others can read may hold it.
  let isSecret: Bool

  /// Whether messages must not repeat a rejected value, which may contain a secret.
  let mayHoldSecret: Bool

  // A start of the program asks these of a few of the rows at most.
  private let makeValue: @Sendable () -> SettingValue
  private let makeStandard: @Sendable () -> String?
  private let makeSummary: @Sendable () -> String
  private let makeDetails: @Sendable () -> String?

  package var value: SettingValue { makeValue() }

  /// The default as help shows it.
  var standard: String? { makeStandard() }

  /// One line, without a full stop.
  var summary: String { makeSummary() }

  /// More text for help, in whole sentences.
  var details: String? { makeDetails() }

  init(
    name: String,
    short: Character? = nil,
    group: Group = .general,
    commands: [CommandName],
    value: @autoclosure @escaping @Sendable () -> SettingValue,
    standard: @autoclosure @escaping @Sendable () -> String? = nil,
    summary: @autoclosure @escaping @Sendable () -> String,
    details: @autoclosure @escaping @Sendable () -> String? = nil,
    places: Places = .anywhere,
    answer: Answer? = nil,
    insteadOfTwice: String? = nil,
    isSecret: Bool = false,
    mayHoldSecret: Bool = false
  ) {
    (self.name, self.short, self.group, self.commands) = (name, short, group, commands)
    (makeValue, makeStandard) = (value, standard)
    (makeSummary, makeDetails) = (summary, details)
    (self.places, self.answer, self.insteadOfTwice) = (places, answer, insteadOfTwice)
    (self.isSecret, self.mayHoldSecret) = (isSecret, mayHoldSecret)
  }

  /// As in `--no-cache`.
  var option: String { "--" + name }

  /// As in `SONDE_NO_CACHE`.
  package var variable: String { Self.variable(of: name) }

  package static func variable(of name: String) -> String {
    "SONDE_" + name.uppercased().split(separator: "-").joined(separator: "_")
  }

  var isFlag: Bool { value.placeholder == nil }

  /// Whether each value is added to the earlier ones from the same source.
  var isRepeatable: Bool { namesakes.contains(where: \.value.isRepeatable) }

  package func isTaken(by command: CommandName) -> Bool { commands.contains(command) }

  /// Every row of this name: a few names differ in meaning between commands.
  var namesakes: [Setting] { Setting.all.filter { $0.name == name } }

  /// The row of this name for a command; `nil` if the command does not take it.
  func own(of command: CommandName) -> Setting? {
    namesakes.first { $0.isTaken(by: command) }
  }
}

/// The syntax of a setting's value, and where it is stored.
package struct SettingValue: Sendable {
  /// Parses a text into the options; the value of a repeatable setting is appended.
  typealias Store = @Sendable (String, inout Options) throws(ValueProblem) -> Void

  /// The placeholder in help; `nil` for a flag.
  package let placeholder: String?
  let accepted: String
  let completion: Completion
  var isRepeatable = false
  /// Whether an environment variable holds several, with blanks between.
  var splitsAtBlanks = false
  /// Whether the command itself checks the value, so that any text may be one.
  var isCheckedLater = false
  let store: Store

  static func flag(_ path: any WritableKeyPath<Options, Bool> & Sendable) -> SettingValue {
    SettingValue(placeholder: nil, accepted: Form.flag.accepted, completion: .nothing) {
      text,
      options throws(ValueProblem) in
      options[keyPath: path] = try Form.flag.read(text)
    }
  }

  /// A flag that is answered immediately and stores nothing in the options.
  static let answered = SettingValue(
    placeholder: nil,
    accepted: "",
    completion: .nothing,
    store: { _, _ in }
  )

  static func one<Value>(
    _ form: Form<Value>,
    _ path: any WritableKeyPath<Options, Value> & Sendable
  ) -> SettingValue {
    SettingValue(form) { text, options throws(ValueProblem) in
      options[keyPath: path] = try form.read(text)
    }
  }

  /// The same, for a value that the command itself checks.
  var checkedLater: SettingValue {
    var value = self
    value.isCheckedLater = true
    return value
  }

  static func one<Value>(
    _ form: Form<Value>,
    _ path: any WritableKeyPath<Options, Value?> & Sendable
  ) -> SettingValue {
    SettingValue(form) { text, options throws(ValueProblem) in
      options[keyPath: path] = try form.read(text)
    }
  }

  static func many<Value>(
    _ form: Form<Value>,
    _ path: any WritableKeyPath<Options, [Value]> & Sendable,
    splitsAtBlanks: Bool = false
  ) -> SettingValue {
    var value = SettingValue(form, isRepeatable: true) { text, options throws(ValueProblem) in
      options[keyPath: path].append(try form.read(text))
    }
    value.splitsAtBlanks = splitsAtBlanks
    return value
  }
}

extension SettingValue {
  private init<Value>(_ form: Form<Value>, isRepeatable: Bool = false, store: @escaping Store) {
    self.init(
      placeholder: form.placeholder,
      accepted: form.accepted,
      completion: form.completion,
      isRepeatable: isRepeatable,
      store: store
    )
  }
}
