/// The completion script for zsh's own completion system.
enum ZshCompletions {
  static var script: String {
    """
    #compdef sonde
    # Completions of sonde for zsh: source this file after compinit, or save it as _sonde
    # in a folder of $fpath.

    _sonde() {
      local context state state_descr line
      local curcontext=$curcontext
      typeset -A opt_args
      _arguments -C -S \\
    \(arguments(general)) \\
        '1:command:_sonde_commands' \\
        '*:: :->operands'
      [[ $state == operands ]] || return
      curcontext="${curcontext%:*:*}:sonde-$words[1]:"
      case $words[1] in
    \(commands)
      esac
    }

    _sonde_commands() {
      local -a commands=(
    \(descriptions)
      )
      _describe command commands
    }

    if [[ $funcstack[1] == _sonde ]]; then
      _sonde "$@"
    else
      compdef _sonde sonde
    fi

    """
  }

  private static var general: [Setting] { Setting.all.filter { $0.answer != nil } }

  private static var commands: String {
    CommandName.allCases.map { name in
      let lines = [arguments(name.options)] + operands(name.row.operands)
      return """
            \(name.rawValue))
              _arguments -S \\
        \(lines.joined(separator: " \\\n")) ;;
        """
    }.joined(separator: "\n")
  }

  private static func operands(_ operands: Operands) -> [String] {
    guard operands.maximum != 0 else { return [] }
    let isOne = operands.maximum == 1 || operands.isWord
    let following = operands.following.sorted { $0.key < $1.key }
      .map { "[[ $line[1] == \($0) ]] && compadd \($1.joined(separator: " "))" }
    return ["    '\(isOne ? "1" : "*"):operand:\(action(operands.completion))'"]
      + following.map { "    '2:operand:{ \($0) }'" }
      + (operands.isWord && operands.maximum == nil ? ["    '*:operand: '"] : [])
  }

  private static var descriptions: String {
    CommandName.allCases.map { "    '\($0.rawValue):\(escaped($0.row.summary))'" }
      .joined(separator: "\n")
  }

  private static func arguments(_ settings: [Setting]) -> String {
    settings.map { "    " + specification($0) }.joined(separator: " \\\n")
  }

  /// An `_arguments` specification as in zshcompsys(1).
  private static func specification(_ setting: Setting) -> String {
    let exclusion =
      if setting.answer != nil {
        "(- *)"
      } else if setting.value.isRepeatable {
        "*"
      } else {
        "(" + setting.spellings.joined(separator: " ") + ")"
      }
    let rest = "[\(escaped(setting.summary))]" + value(setting)
    let long = setting.option + (setting.isFlag ? "" : "=")
    guard let short = setting.short else { return "'\(exclusion)\(long)\(rest)'" }
    return "'\(exclusion)'{-\(short)\(setting.isFlag ? "" : "+"),\(long)}'\(rest)'"
  }

  private static func value(_ setting: Setting) -> String {
    guard let placeholder = setting.value.placeholder else { return "" }
    return ":\(placeholder.lowercased()):" + action(setting.value.completion)
  }

  private static func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .files: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .list(let words): "_values -s , value \(words.joined(separator: " "))"
    }
  }

  /// The text with single quotes, brackets and colons escaped for a specification.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "[", "]", ":", "\\": result += "\\" + String(character)
      case "'": result += "'\\''"
      default: result.append(character)
      }
    }
  }
}
