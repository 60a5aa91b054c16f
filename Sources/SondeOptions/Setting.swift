/// A row of the table that the parser, help, completions and the configuration file share: an
/// option of the command line, a variable of the environment, a name of the file.
package struct Setting: Sendable {
  /// Where a setting can be given.
  struct Places: OptionSet, Sendable {
    let rawValue: Int
    static let commandLine = Places(rawValue: 1)
    static let environment = Places(rawValue: 2)
    static let file = Places(rawValue: 4)
    static let anywhere: Places = [.commandLine, .environment, .file]
  }

  /// A heading of help, in its order there.
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

  /// What is answered at once where an option asks for it, whatever else is wrong.
  enum Answer: Sendable {
    case help, version
  }

  /// The long name, without its dashes.
  let name: String
  var short: Character? = nil
  package let group: Group
  let commands: [CommandName]
  package let value: SettingValue

  /// The default as help shows it.
  var standard: String? = nil

  /// One line, without a full stop.
  let summary: String

  /// More for help: whole sentences.
  var details: String? = nil
  var places = Places.anywhere
  var answer: Answer? = nil

  /// What to do instead of giving the option twice, where the last one would not do for both.
  var insteadOfTwice: String? = nil

  /// Whether it is a secret: messages must not repeat it, and no file that others can read holds it.
  var isSecret = false

  /// Whether messages must not repeat a value that is not accepted, since it may hold a secret.
  var mayHoldSecret = false

  /// The option, `--no-cache`.
  var option: String { "--" + name }

  /// The variable of the environment, `SONDE_NO_CACHE`.
  package var variable: String { Self.variable(of: name) }

  /// The variable that gives a setting.
  package static func variable(of name: String) -> String {
    "SONDE_" + name.uppercased().split(separator: "-").joined(separator: "_")
  }

  var isFlag: Bool { value.placeholder == nil }

  /// Whether each value is added to the earlier ones of the same place.
  var isRepeatable: Bool { namesakes.contains(where: \.value.isRepeatable) }

  package func isTaken(by command: CommandName) -> Bool { commands.contains(command) }

  /// Every row of this name: a few names mean something different to some commands.
  var namesakes: [Setting] { Setting.all.filter { $0.name == name } }

  /// The row of this name for a command; `nil` if it does not take it.
  func own(of command: CommandName) -> Setting? {
    namesakes.first { $0.isTaken(by: command) }
  }
}

/// How the value of a setting is written, and where it is kept.
package struct SettingValue: Sendable {
  /// Reads a text into the options; that of a repeatable setting is added.
  typealias Store = @Sendable (String, inout Options) throws(ValueProblem) -> Void

  /// The word that stands for it in help; `nil` for a flag.
  package let placeholder: String?
  let accepted: String
  let completion: Completion
  var isRepeatable = false
  let store: Store

  static func flag(_ path: any WritableKeyPath<Options, Bool> & Sendable) -> SettingValue {
    SettingValue(placeholder: nil, accepted: Form.flag.accepted, completion: .nothing) {
      text,
      options throws(ValueProblem) in
      options[keyPath: path] = try Form.flag.read(text)
    }
  }

  /// A flag that is answered at once and leaves nothing in the options.
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
    _ path: any WritableKeyPath<Options, [Value]> & Sendable
  ) -> SettingValue {
    SettingValue(form, isRepeatable: true) { text, options throws(ValueProblem) in
      options[keyPath: path].append(try form.read(text))
    }
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
